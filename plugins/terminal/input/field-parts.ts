import type { Attachment, Field } from "../parts.ts";
import type { Completing } from "./completing.ts";
import type { Doubtful, Draft } from "./draft.ts";
import type { HistoryWalk } from "./history-walk.ts";

/** What a field works with besides its text; each part may be absent. */
export interface FieldParts {
  history?: HistoryWalk | undefined;
  draft?: Draft | undefined;
  /** What was entered and waits to be sent. It belongs to the draft until then. */
  waiting?: (() => readonly string[]) | undefined;
  /** What of the draft may have arrived. */
  doubtful?: (() => readonly Doubtful[]) | undefined;
  completing?: Completing | undefined;
  /** The picture that a pasted text is the path of, as terminals write a file that is dropped on them. */
  imageIn?: ((pasted: string) => Attachment | undefined) | undefined;
  /** Attaches the picture in the clipboard. */
  pasteImage?: ((field: Pick<Field, "mode"> & { attach(attachment: Attachment): void }) => Promise<void>) | undefined;
  /** Lets a person edit a text in their own editor. Returns undefined when they gave up. */
  editElsewhere?: ((text: string) => Promise<string | undefined>) | undefined;
}
