import { rootOf } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { Surroundings } from "../parts.ts";
import { type ClipboardPlace, clipboardPaste } from "./clipboard-paste.ts";
import { Completing } from "./completing.ts";
import { type Draft, draftFile, openDraft } from "./draft.ts";
import { droppedImage } from "./dropped-image.ts";
import { editInEditor } from "./external-editor.ts";
import { PromptField } from "./field.ts";
import type { FieldParts } from "./field-parts.ts";
import { History, historyFile } from "./history.ts";
import { HistoryWalk, withoutSecrets } from "./history-walk.ts";
import { type CommandsHere, commandSource, fileSource, hostFiles, wordSource } from "./sources.ts";

/** Creates a field with all its parts: history, completion, the user's editor, dropped pictures. */
export function createField(
  at: Surroundings & ClipboardPlace,
  commands: Omit<CommandsHere, "uses">,
  unsent: Required<Pick<FieldParts, "waiting" | "doubtful">>,
): { field: PromptField; walk: HistoryWalk } {
  const warn = (problem: string) => at.tell(problem, "warning");
  const history = new History(historyFile(projectOf(at.cwd)), withoutSecrets(at.env));
  const walk = new HistoryWalk(history, warn);
  const field = new PromptField(at, {
    history: walk,
    ...unsent,
    completing: new Completing([
      commandSource(at, { ...commands, uses: () => walk.uses() }),
      fileSource(hostFiles(at), { reading: at.words.readingFiles, none: at.words.noFiles }),
      wordSource(at),
    ]),
    imageIn: (pasted) => droppedImage(pasted, at.cwd),
    pasteImage: clipboardPaste(at),
    editElsewhere: (text) => editElsewhere(at, text),
  });
  return { field, walk };
}

/** The path of a session's draft; of the project's draft while nothing was said in the session. */
export function draftPath(at: Pick<Surroundings, "cwd">, begunSession: string | undefined): string {
  return draftFile(projectOf(at.cwd), begunSession);
}

/** Opens the draft at a path from `draftPath`, for a field that may have text already. */
export function draftAt(
  at: Surroundings,
  path: string,
  hasText: boolean,
  hasArrived: (messageId: string) => boolean,
): Draft {
  return openDraft(path, { tell: (problem) => at.tell(problem, "warning"), hasText, hasArrived });
}

/** The folder that history and drafts belong to: the root of the project. For a project on another computer, the path as it is. */
function projectOf(cwd: string): string {
  return rootOf(canonical(cwd));
}

async function editElsewhere(at: Surroundings, text: string): Promise<string | undefined> {
  try {
    return await at.suspended(() => editInEditor(text, at.env));
  } catch (thrown) {
    at.tell(messageOf(thrown), "error");
    return undefined;
  }
}
