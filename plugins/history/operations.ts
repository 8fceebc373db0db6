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
const jumpWithFiles = { ...jump, files: z.boolean().optional(), overwrite: z.boolean().optional() };
const session = () => z.strictObject({ sessionId: id });
const nothing = () => z.strictObject({});

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;
const files = () => import("./files.ts");
const moves = () => import("./moves.ts");
const trash = () => import("./trash.ts");

/** Operations about the course of a conversation, its name and model, and deleted sessions. Their code is loaded on use. */
export const operations = {
  rewind: {
    summary: "Moves the active leaf back to an event; with `files`, restores the files first.",
    size: { bounded: "The lists of files are those of `restore_files`, which are cut." },
    params: () => z.strictObject({ ...jumpWithFiles, targetEventId: place }),
    result: async () => (await results()).rewind,
    run: async (params, context) => (await moves()).rewind(params, context),
  },
  preview_rewind: {
    summary: "Returns what a rewind with `files` would change.",
    readOnly: true,
    size: "pages",
    params: () => z.strictObject({ sessionId: id, targetEventId: place }),
    result: async () => (await results()).preview_rewind,
    run: async (params, context) => (await files()).previewRewind(params, context),
  },
  branch: {
    summary: "Moves the active leaf to the end of another branch.",
    params: () => z.strictObject({ ...jump, leafEventId: id }),
    result: async () => (await results()).branch,
    run: async (params, context) => (await moves()).branch(params, context),
  },
  undo: {
    summary: "Rewinds to before the last user message; with `files`, first restores the files as of that message.",
    size: { bounded: "It returns one message, and lists of files as `restore_files` does, which are cut." },
    params: () => z.strictObject(jumpWithFiles),
    result: async () => (await results()).undo,
    run: async (params, context) => (await moves()).undo(params, context),
  },
  redo: {
    summary: "Reverts the last undo, if nothing was added since; with `files`, restores the files first.",
    size: { bounded: "The lists of files are those of `restore_files`, which are cut." },
    params: () => z.strictObject(jumpWithFiles),
    result: async () => (await results()).redo,
    run: async (params, context) => (await moves()).redo(params, context),
  },
  preview_undo: {
    summary: "Returns what an undo with `files` would change.",
    readOnly: true,
    size: "pages",
    params: session,
    result: async () => (await results()).preview_undo,
    run: async (params, context) => (await files()).previewUndo(params, context),
  },
  preview_redo: {
    summary: "Returns what a redo with `files` would change.",
    readOnly: true,
    size: "pages",
    params: session,
    result: async () => (await results()).preview_redo,
    run: async (params, context) => (await files()).previewRedo(params, context),
  },
  get_tree: {
    summary: "Returns the events of a session as rows of a tree, the latest first.",
    readOnly: true,
    size: { bounded: "It makes its own pages; branch points and leaves are at most 200." },
    params: () =>
      z.strictObject({
        sessionId: id,
        show: z.enum(["tree", "path", "all"]).optional(),
        limit: z.number().int().min(1).max(100_000).optional(),
        before: id.optional(),
      }),
    result: async () => (await results()).get_tree,
    run: async (params, context) => (await import("./page.ts")).getTree(params, context),
  },
  update_info: {
    summary: "Changes the session's name, model or thinking level, or archives it.",
    params: () =>
      z.strictObject({
        sessionId: id,
        changes: z.strictObject({
          name: name.optional(),
          model: id.optional(),
          thinkingLevel: level.optional(),
          archived: z.boolean().optional(),
        }),
        messageId: id.optional(),
      }),
    result: async () => (await results()).update_info,
    run: async (params, context) => (await import("./info.ts")).updateInfo(params, context),
  },
  rename_session: {
    summary: "Changes the session's name.",
    params: () => z.strictObject({ sessionId: id, name, messageId: id.optional() }),
    result: async () => (await results()).rename_session,
    run: async ({ name, ...params }, { request }) => request("update_info", { ...params, changes: { name } }),
  },
  archive_session: {
    summary: "Puts a session away, so that lists leave it out until something is said in it; or takes it back.",
    params: () => z.strictObject({ sessionId: id, archived: z.boolean().optional(), messageId: id.optional() }),
    result: async () => (await results()).archive_session,
    run: async ({ archived = true, ...params }, { request }) =>
      request("update_info", { ...params, changes: { archived } }),
  },
  delete_session: {
    summary: "Moves a session's files to the trash.",
    params: session,
    result: async () => (await results()).delete_session,
    run: async (params, context) => (await trash()).deleteSession(params, context),
  },
  restore_session: {
    summary: "Moves a session's files back from the trash.",
    params: session,
    result: async () => (await results()).restore_session,
    run: async (params, context) => (await trash()).restoreSession(params, context),
  },
  list_trash: {
    summary: "Lists the deleted sessions that can be restored.",
    readOnly: true,
    size: "pages",
    params: nothing,
    result: async () => (await results()).list_trash,
    run: async (_params, context) => (await trash()).listTrash(context),
  },
  purge_sessions: {
    summary: "Deletes sessions in the trash for good (default: all), and then file contents that no session refers to.",
    size: "cut",
    params: () => z.strictObject({ sessionIds: z.array(z.string()).optional() }),
    result: async () => (await results()).purge_sessions,
    run: async (params, context) => (await trash()).purgeSessions(params, context),
  },
} satisfies Contributions["operations"];
