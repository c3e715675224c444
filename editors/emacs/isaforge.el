;;; isaforge.el --- Programs and descriptions of instruction sets -*- lexical-binding: t -*-

;; Put this file on the `load-path' and (require 'isaforge). The editor's help comes by eglot, which Emacs has from 29 on, and
;; debugging by dap-mode: M-x dap-debug.

;;; Code:

(define-derived-mode isaforge-asm-mode prog-mode "Isaforge-asm"
  "An assembly program whose instruction set Isaforge knows.")

(define-derived-mode isa-mode prog-mode "ISA"
  "A description of an instruction set."
  (setq-local comment-start "// "))

(add-to-list 'auto-mode-alist '("\\.isa\\'" . isa-mode))
;; A program says in its first lines which instruction set it is for, as `// isaforge: wishbone-gpu'.
(add-to-list 'magic-mode-alist '("\\(?:.*\n\\)\\{0,15\\}.*isaforge:" . isaforge-asm-mode))

(defvar isaforge-settings nil
  "What programs are written for that do not say it, as (:isa \"wishbone-gpu\").")

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((isaforge-asm-mode isa-mode)
                 . ("isaforge" "lsp" :initializationOptions ,(or isaforge-settings (make-hash-table))))))
(add-hook 'isaforge-asm-mode-hook 'isaforge-help)
(add-hook 'isa-mode-hook 'isaforge-help)
(defun isaforge-help ()
  "Ask the language server, where Emacs can."
  (when (fboundp 'eglot-ensure) (eglot-ensure)))

(with-eval-after-load 'dap-mode
  (dap-register-debug-provider
   "isaforge"
   (lambda (conf)
     (if (equal (plist-get conf :request) "attach")
         (plist-put (plist-put conf :host "127.0.0.1") :debugServer (plist-get conf :port))
       (plist-put (plist-put conf :dap-server-path (list "isaforge" "dap"))
                  :program (or (plist-get conf :program) (buffer-file-name))))))
  (dap-register-debug-template
   "Isaforge: run this program"
   (append '(:type "isaforge" :request "launch" :name "Isaforge" :stopAtEnd t) isaforge-settings))
  (dap-register-debug-template
   "Isaforge: what waits at a port"
   '(:type "isaforge" :request "attach" :name "Isaforge" :port 4711)))

(provide 'isaforge)
;;; isaforge.el ends here
