import type {} from "@scorel/checkpoints/contract";
import { everyPage } from "@scorel/host/client";
import type { OperationContext, Operations } from "@scorel/host/contract";
import { codeOf, type EventId, type Session } from "@scorel/kernel";
import type { FilesRestored, MovePreview } from "./contract.ts";
import { errors } from "./errors.ts";
import { targetOf } from "./names.ts";
import { requirePoint } from "./points.ts";
import { placeBefore, undoneLeaf } from "./undone.ts";

/** The operation `preview_rewind`. Throws HISTORY_ errors. */
export async function previewRewind(
  { sessionId, ...params }: Operations["preview_rewind"]["params"],
  { open, request }: OperationContext,
): Promise<MovePreview> {
  const { session } = (await open(sessionId)).kernel;
  const to = targetOf(session, params);
  if (to !== null) requirePoint(session.tree, to);
  return previewOf(session, to, request);
}

/** The operation `preview_undo`. Throws HISTORY_NO_UNDO and HISTORY_NO_FILES. */
export async function previewUndo(
  { sessionId }: Operations["preview_undo"]["params"],
  { open, request }: OperationContext,
): Promise<MovePreview> {
  const { session } = (await open(sessionId)).kernel;
  const { to, filesOf } = placeBefore(session);
  return previewOf(session, to, request, filesOf);
}

/** The operation `preview_redo`. Throws HISTORY_NO_REDO and HISTORY_NO_FILES. */
export async function previewRedo(
  { sessionId }: Operations["preview_redo"]["params"],
  { open, request }: OperationContext,
): Promise<MovePreview> {
  const { session } = (await open(sessionId)).kernel;
  return previewOf(session, undoneLeaf(session), request);
}

/** `filesOf`: the event whose files are restored, if it is not where the conversation goes. */
async function previewOf(
  session: Session,
  to: EventId | null,
  request: OperationContext["request"],
  filesOf = to,
): Promise<MovePreview> {
  const targetEventId = filesOf ?? session.tree.root?.id;
  const preview =
    targetEventId === undefined
      ? { changes: [], notCovered: [] }
      : await withFiles(() =>
          everyPage((page) => request("preview_files", { sessionId: session.id, targetEventId, ...page })),
        );
  return { ...preview, targetEventId: to, leafId: session.activeLeaf };
}

/** Restores the files. For the start, these are the files as of the very first message. */
export async function restoreFiles(
  { id: sessionId, tree }: Session,
  to: EventId | null,
  overwrite: boolean | undefined,
  { request }: OperationContext,
): Promise<FilesRestored> {
  const targetEventId = to ?? tree.root?.id;
  if (targetEventId === undefined) return { restored: [], skipped: [] };
  return withFiles(() => request("restore_files", { sessionId, targetEventId, overwrite }));
}

/** Runs `work`; throws HISTORY_NO_FILES when no plugin keeps checkpoints. */
async function withFiles<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (thrown) {
    throw codeOf(thrown) === "HOST_OPERATION_UNKNOWN" ? errors.HISTORY_NO_FILES() : thrown;
  }
}
