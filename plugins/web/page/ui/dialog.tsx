import { type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "../words/words.ts";

interface DialogProps {
  title: string;
  children: ReactNode;
  /** Called when the person closes it, by Esc, the button, or a click beside it. */
  onClose(): void;
}

/** A window above the page, which has the keyboard until it is closed. The browser keeps the focus in it, and gives it back. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const words = useWords();
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const { current } = element;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, too, which the browser tells as `cancel`.
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className="dialog-content">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
