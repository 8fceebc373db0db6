import { useEffect } from "react";
import { safeText } from "../display/safe.ts";
import { Store, useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

interface Note {
  text: string;
  isProblem?: boolean;
  action?: { label: string; run(): void };
}

/** Milliseconds for which a note is shown. Its action is also available elsewhere. */
const SHOWN_MS = 20_000;

const current = new Store<Note | undefined>(undefined);

/** Shows a note about something that was done or has failed. Replaces the previous note. */
export function tell(note: Note): void {
  current.set(note);
}

/** Runs an action of the person, and shows an error if it fails. */
export function attempt(work: () => Promise<unknown>): void {
  work().catch((thrown) => tell({ text: (thrown as Error).message, isProblem: true }));
}

/** Shows the latest note above the page. */
export function NoteBox() {
  const words = useWords();
  const note = useStore(current);
  useEffect(() => {
    if (!note || note.isProblem) return;
    const timer = setTimeout(() => current.set(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [note]);
  const close = () => current.set(undefined);
  return (
    <div className="note-place" role={note?.isProblem ? "alert" : "status"}>
      {note && (
        <div className="note">
          <span className="plain">{safeText(note.text)}</span>
          {note.action && (
            <button
              type="button"
              onClick={() => {
                close();
                note.action?.run();
              }}
            >
              {note.action.label}
            </button>
          )}
          <button type="button" className="icon-button" aria-label={words.close} onClick={close}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
