import { useEffect } from "react";
import { safeText } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { shownNote } from "./notes.ts";

/** Milliseconds for which a note is shown. Its action is also available elsewhere. */
const SHOWN_MS = 20_000;

/** Shows the latest note above the page. */
export function NoteBox() {
  const words = useWords();
  const note = useStore(shownNote);
  useEffect(() => {
    if (!note || note.isProblem) return;
    const timer = setTimeout(() => shownNote.set(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [note]);
  const close = () => shownNote.set(undefined);
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
