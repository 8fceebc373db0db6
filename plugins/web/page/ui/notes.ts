import { Store } from "../store.ts";

interface Note {
  text: string;
  isProblem?: boolean;
  action?: { label: string; run(): void };
}

/** The note that is shown. */
export const shownNote = new Store<Note | undefined>(undefined);

/** Shows a note about something that was done or has failed. Replaces the previous note. */
export function tell(note: Note): void {
  shownNote.set(note);
}

/** Runs an action of the person, and shows an error if it fails. */
export function attempt(work: () => Promise<unknown>): void {
  work().catch((thrown) => tell({ text: (thrown as Error).message, isProblem: true }));
}
