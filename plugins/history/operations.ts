import type { Operation, OperationHandler, Operations } from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";

const id = z.string().min(1);
const place = id.nullable();
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line");
const level = z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]);
const jump = { sessionId: id, expectedLeafId: place.optional(), messageId: id.optional() };
const session = z.strictObject({ sessionId: id });
const nothing = z.strictObject({});

let made: Contributions["operations"] | undefined;

/** Operations of this plugin. Created once, on the first request; their code is loaded on use. */
export function operations(): Contributions["operations"] {
  made ??= handlers();
  return made;
}

function handlers(): Contributions["operations"] {
  return {
    rewind: handler(
      z.strictObject({
        ...jump,
        targetEventId: place,
        files: z.boolean().optional(),
        overwrite: z.boolean().optional(),
      }),
      async (params, context) => (await import("./moves.ts")).rewind(params, context),
    ),
    preview_rewind: handler(z.strictObject({ sessionId: id, targetEventId: place }), async (params, context) =>
      (await import("./moves.ts")).previewRewind(params, context),
    ),
    branch: handler(z.strictObject({ ...jump, leafEventId: id }), async (params, context) =>
      (await import("./moves.ts")).branch(params, context),
    ),
    undo: handler(z.strictObject(jump), async (params, context) => (await import("./moves.ts")).undo(params, context)),
    redo: handler(z.strictObject(jump), async (params, context) => (await import("./moves.ts")).redo(params, context)),
    get_tree: handler(
      z.strictObject({
        sessionId: id,
        show: z.enum(["tree", "path", "all"]).optional(),
        limit: z.number().int().min(1).max(100_000).optional(),
        before: id.optional(),
      }),
      async (params, context) => (await import("./page.ts")).getTree(params, context),
    ),
    update_info: handler(
      z.strictObject({
        sessionId: id,
        changes: z.strictObject({ name: name.optional(), model: id.optional(), thinkingLevel: level.optional() }),
        messageId: id.optional(),
      }),
      async (params, context) => (await import("./info.ts")).updateInfo(params, context),
    ),
    rename_session: handler(
      z.strictObject({ sessionId: id, name, messageId: id.optional() }),
      async ({ name, ...params }, { request }) => request("update_info", { ...params, changes: { name } }),
    ),
    delete_session: handler(session, async (params, context) =>
      (await import("./trash.ts")).deleteSession(params, context),
    ),
    restore_session: handler(session, async (params, context) =>
      (await import("./trash.ts")).restoreSession(params, context),
    ),
    list_trash: handler(nothing, async (_params, context) => (await import("./trash.ts")).listTrash(context)),
    purge_sessions: handler(nothing, async (_params, context) => (await import("./trash.ts")).purgeSessions(context)),
  };
}

function handler<O extends Operation>(
  params: z.ZodType<Operations[O]["params"]>,
  run: OperationHandler<O>["run"],
): OperationHandler<O> {
  return { params, run };
}
