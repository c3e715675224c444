;;; isaforge.el --- Programs and descriptions of instruction sets -*- lexical-binding: t -*-

;; Emacs 29 and later, which has eglot: put this file on the `load-path' and (require 'isaforge).

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
(add-hook 'isaforge-asm-mode-hook 'eglot-ensure)
(add-hook 'isa-mode-hook 'eglot-ensure)

(provide 'isaforge)
;;; isaforge.el ends here
