import type { Attachment, Field } from "../parts.ts";
import type { Completing } from "./completing.ts";
import type { Draft } from "./draft.ts";
import type { Doubtful } from "./draft-content.ts";
import type { HistoryWalk } from "./history-walk.ts";
import type { Entered } from "./line-mode.ts";

/** Optional parts of a field. */
export interface FieldParts {
  history?: HistoryWalk | undefined;
  draft?: Draft | undefined;
  /** The texts that were entered and wait to be sent. They belong to the draft until then. */
  waiting?: (() => readonly Pick<Entered, "text" | "attachments">[]) | undefined;
  /** The messages in the draft that may have reached the host. */
  doubtful?: (() => readonly Doubtful[]) | undefined;
  completing?: Completing | undefined;
  /** The picture whose path the pasted text is: terminals write the path of a file that is dropped on them. */
  imageIn?: ((pasted: string) => Attachment | undefined) | undefined;
  /** Attaches the picture in the clipboard to the message in the field. */
  pasteImage?:
    | ((field: Pick<Field, "mode" | "text"> & { attach(attachment: Attachment): void }) => Promise<void>)
    | undefined;
  /** Lets the user edit text in their own editor. Resolves with undefined when that failed. */
  editElsewhere?: ((text: string) => Promise<string | undefined>) | undefined;
}
