import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useWords } from "../words/words.ts";
import { useOverlay } from "./overlay.ts";

/** Matches the field that gets the focus when a dialog is opened. */
const TEXT_FIELD = "input:not([type=checkbox])";

interface DialogProps {
  title: string;
  children: ReactNode;
  /** Called when the person closes the dialog, by Esc, the button, or a click outside of it. */
  onClose(): void;
}

/** A modal dialog. The browser keeps the focus in it, and afterwards returns it to where it was. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const words = useWords();
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useOverlay(true, onClose);
  // The dialog is closed before it is removed, so that the browser returns the focus.
  useLayoutEffect(() => {
    const { current } = element;
    current?.showModal();
    // On a phone, that would open the keyboard.
    if (!matchMedia("(pointer: coarse)").matches) current?.querySelector<HTMLElement>(TEXT_FIELD)?.focus();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, too, which the browser tells as `cancel`.
    <dialog
      ref={element}
      className="dialog"
      tabIndex={-1}
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
