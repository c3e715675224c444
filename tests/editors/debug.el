;;; debug.el --- A session of dap-mode with a program -*- lexical-binding: t -*-
;; emacs --batch -l debug.el, in a folder with squares.s; `isaforge' is on the path. Says each thing that dap-mode got.

(package-initialize)
(setq dap-auto-configure-features nil)
(require 'dap-mode)
(require 'isaforge)

(defvar stops 0)
(defvar ended nil)
(add-hook 'dap-stopped-hook (lambda (_) (setq stops (1+ stops))))
(add-hook 'dap-terminated-hook (lambda (_) (setq ended t)))

(defun wait-for (what test)
  "Until TEST is true, for twenty seconds."
  (with-timeout (20 (message "never: %s" what) (kill-emacs 1))
    (while (not (funcall test)) (accept-process-output nil 0.02))))

(defun frame ()
  (and (dap--cur-session) (dap--debug-session-active-frame (dap--cur-session))))

(defun say-stop (what number)
  (wait-for what (lambda () (and (> stops number) (frame))))
  (message "%s: %s, line %s" what (gethash "name" (frame)) (gethash "line" (frame))))

(find-file "squares.s")
(isaforge-asm-mode)
(forward-line 13)
(dap-breakpoint-add)
(dap-debug (list :type "isaforge" :request "launch" :name "squares" :isa "fabrisc-2022-05-15"))
(say-stop "breakpoint" 0)
(dap-next (dap--cur-session))
(say-stop "next" 1)
(dap-step-out (dap--cur-session))
(say-stop "out" 2)
(let (answer)
  (dap--send-message
   (dap--make-request "evaluate" (list :expression "$S2 + 1" :frameId (gethash "id" (frame)) :context "watch"))
   (lambda (got) (setq answer (gethash "result" (gethash "body" got))))
   (dap--cur-session))
  (wait-for "value" (lambda () answer))
  (message "value: %s" answer))
(goto-char (point-min))
(forward-line 13)
(dap-breakpoint-toggle)
(dap-continue (dap--cur-session) 1)
(wait-for "end" (lambda () ended))
(message "ended")

;; The same program, which waits at a port.
(setq stops 0 ended nil)
(dap-debug (list :type "isaforge" :request "attach" :name "waiting" :port (string-to-number (getenv "WAITS_AT"))))
(say-stop "attached" 0)
(dap-step-in (dap--cur-session))
(say-stop "step" 1)
(dap-continue (dap--cur-session) 1)
(wait-for "end" (lambda () ended))
(message "ended")
;;; debug.el ends here
