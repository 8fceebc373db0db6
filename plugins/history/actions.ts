import { everyPage } from "@scorel/host/client";
import type { JumpWithFiles, Operations, PageParams } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import type { CommandContext } from "./client.ts";
import type { FilesRestored, Moved, MovePreview, TreePage } from "./contract.ts";
import { counted, draw, drawPreview, filesLeft, leftOutText, restorable } from "./drawing.ts";
import { errors } from "./errors.ts";

/** Name for the start of a conversation on the command line. */
const START = "start";
/** Maximum number of events shown in a terminal without --tail. */
const SHOWN = 200;
/** Maximum number of rows per request. */
const PAGE = 100_000;

/** Runs `session tree`. Throws HISTORY_TAIL. */
export async function tree({ request, args, options, width, say }: CommandContext): Promise<void> {
  const isJson = options.output === "json";
  // Scrollback is limited in a terminal; a file or another program gets everything.
  const count = tailOf(options.tail) ?? (width === undefined || isJson ? Number.POSITIVE_INFINITY : SHOWN);
  const found = await readTree(request, first(args), options.all === true ? "all" : "tree", count);
  if (isJson) return say(`${JSON.stringify(found)}\n`);
  await say(draw(found, width));
  if (found.before !== undefined && options.tail === undefined)
    await say(`These are the last ${count} events of ${found.events}. To see more: --tail ${count * 10}\n`);
}

function tailOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(String(given))) throw errors.HISTORY_TAIL({ value: String(given) });
  return Number(given);
}

/** Runs `session rewind`. With `--files`, shows the changes and asks before it restores them. */
export async function rewind(context: CommandContext): Promise<void> {
  const { request, args } = context;
  const [sessionId = "", event = ""] = args;
  const target = { sessionId, targetEventId: event === START ? null : event };
  const asked = await confirmed(context, (page) => request("preview_rewind", { ...target, ...page }));
  await sayMoved(context, await request("rewind", { ...target, ...asked }));
}

function leftAlone(
  request: CommandContext["request"],
  sessionId: string,
  { leafId }: Pick<Moved, "leafId">,
): Promise<string> {
  return filesLeft(request, { sessionId, leafId }, (event) => `scorel session rewind ${sessionId} ${event} --files`);
}

/** With `--files`, shows the changes to the files and asks. Returns what the move is asked to do. */
async function confirmed(
  { options, say, confirm }: CommandContext,
  ask: (page: PageParams) => Promise<MovePreview>,
  { verb, what } = { verb: "go back", what: "Going back with the files" },
): Promise<Omit<JumpWithFiles, "sessionId">> {
  if (options.files !== true) return {};
  const preview = await everyPage(ask);
  const overwrite = options.overwrite === true;
  await say(drawPreview(preview, overwrite));
  if (restorable(preview, overwrite).length > 0) await confirm(`Restore these files, and ${verb}?`, what);
  else if (preview.changes.length + preview.notCovered.length > 0)
    await confirm(`No file can be restored. Still ${verb}?`, what);
  return { expectedLeafId: preview.leafId, files: true, overwrite };
}

/** Prints where the move has led. Throws HISTORY_NOT_RESTORED if files were to be restored and some were not. */
async function sayMoved(
  { request, args, say }: CommandContext,
  moved: Moved & { files?: FilesRestored },
): Promise<void> {
  const { text, files } = moved;
  if (!files) return say(`${text}\n${await leftAlone(request, first(args), moved)}`);
  const skipped = files.skipped.map(({ path, reason }) => `not restored: ${path}: ${reason}\n`);
  await say(`${skipped.join("")}${counted(files.restored.length, "file")} restored.${leftOutText(files)}\n${text}\n`);
  if (skipped.length > 0) throw errors.HISTORY_NOT_RESTORED();
}

/** Runs `session branch`. */
export async function branch({ request, args, say }: CommandContext): Promise<void> {
  const [sessionId = "", leafEventId = ""] = args;
  const { text } = await request("branch", { sessionId, leafEventId });
  await say(`${text}\n`);
}

/** Runs `session clone`. */
export async function clone({ request, args, say }: CommandContext): Promise<void> {
  const [sessionId = "", eventId] = args;
  const copy = await request("clone_session", { sessionId, atOnce: true, ...(eventId !== undefined && { eventId }) });
  await say(`New session ${copy.sessionId}\nTo continue in it: scorel --session ${copy.sessionId}\n`);
}

/** Runs `session undo`. */
export async function undo(context: CommandContext): Promise<void> {
  const { request, args, say } = context;
  const sessionId = first(args);
  const asked = await confirmed(context, (page) => request("preview_undo", { sessionId, ...page }));
  const undone = await request("undo", { sessionId, ...asked });
  await say(`Undone: ${undone.message.text}\n`);
  await sayMoved(context, undone);
}

/** Runs `session redo`. */
export async function redo(context: CommandContext): Promise<void> {
  const { request, args } = context;
  const sessionId = first(args);
  const ask = (page: PageParams) => request("preview_redo", { sessionId, ...page });
  const asked = await confirmed(context, ask, { verb: "redo", what: "A redo with the files" });
  await sayMoved(context, await request("redo", { sessionId, ...asked }));
}

/** Runs `session rename`. */
export async function rename({ request, args, say }: CommandContext): Promise<void> {
  const [sessionId = "", ...words] = args;
  const { meta } = await request("rename_session", { sessionId, name: words.join(" ") });
  await say(`The session is named "${meta.name}".\n`);
}

export const archive = (context: CommandContext) => setArchived(context, true);
export const unarchive = (context: CommandContext) => setArchived(context, false);

async function setArchived({ request, args, say }: CommandContext, archived: boolean): Promise<void> {
  for (const sessionId of args) {
    await request("archive_session", { sessionId, archived });
    await say(archived ? "Archived. `scorel session list --archived` shows it.\n" : "Taken out of the archive.\n");
  }
}

/** Runs `session compact`. Ctrl-C cancels the compaction. */
export async function compact({ request, args, interrupt, say }: CommandContext): Promise<void> {
  const [sessionId = "", ...words] = args;
  const asked = { sessionId, ...(words.length > 0 && { instructions: words.join(" ") }) };
  let cancelling: Promise<unknown> | undefined;
  const cancel = () => {
    cancelling = request("cancel", { sessionId });
  };
  interrupt.addEventListener("abort", cancel, { once: true });
  try {
    await say(outcomeOf(await known(() => request("compact", asked), errors.HISTORY_NO_COMPACTION)));
  } finally {
    interrupt.removeEventListener("abort", cancel);
    await cancelling;
  }
}

function outcomeOf({ compacted, tokensBefore, tokensAfter, note }: Operations["compact"]["result"]): string {
  const done = compacted ? `Compacted: ${tokensBefore} tokens before, ${tokensAfter} after.` : "Nothing was compacted.";
  return `${done}\n${note === undefined ? "" : `${note}\n`}`;
}

async function remove({ request, args, say }: CommandContext): Promise<void> {
  for (const sessionId of args) {
    const { text } = await request("delete_session", { sessionId });
    await say(`${text}\n`);
  }
}

export { remove as delete };

/** Runs `session restore`. Without a session, lists the trash. */
export async function restore({ request, args, say }: CommandContext): Promise<void> {
  if (args.length === 0) return say((await trashed(request)) || "The trash is empty.\n");
  for (const sessionId of args) {
    const { text } = await request("restore_session", { sessionId });
    await say(`${text}\n`);
  }
}

/** Runs `session purge`: lists the trash, asks, and deletes it. */
export async function purge({ request, say, confirm }: CommandContext): Promise<void> {
  const { sessions } = await everyPage((page) => request("list_trash", page));
  if (sessions.length > 0) {
    await say(listed(sessions));
    await confirm(
      `Delete ${sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`} for good?`,
      "Emptying the trash",
    );
  }
  // A session that was deleted since was not shown.
  const { text } = await request("purge_sessions", { sessionIds: sessions.map(({ sessionId }) => sessionId) });
  await say(`${text}\n`);
}

async function trashed(request: CommandContext["request"]): Promise<string> {
  return listed((await everyPage((page) => request("list_trash", page))).sessions);
}

function listed(sessions: Operations["list_trash"]["result"]["sessions"]): string {
  return sessions.map(({ sessionId, bytes, title }) => `${sessionId}  ${bytes} bytes  ${title}\n`).join("");
}

/** Reads the last `count` rows, page by page, and merges them. */
async function readTree(
  request: CommandContext["request"],
  sessionId: string,
  show: "tree" | "all",
  count: number,
): Promise<TreePage> {
  const pages: TreePage[] = [];
  let before: string | undefined;
  for (let left = count; left > 0 && (pages.length === 0 || before !== undefined); ) {
    const limit = Math.min(PAGE, left);
    const page = await request("get_tree", { sessionId, show, limit, ...(before !== undefined && { before }) });
    pages.unshift(page);
    left -= page.rows.length;
    before = page.before;
  }
  const { before: _none, ...latest } = pages.at(-1) as TreePage;
  return { ...latest, rows: pages.flatMap(({ rows }) => rows), ...(before !== undefined && { before }) };
}

async function known<R>(ask: () => Promise<R>, otherwise: () => Error): Promise<R> {
  try {
    return await ask();
  } catch (thrown) {
    throw codeOf(thrown) === "HOST_OPERATION_UNKNOWN" ? otherwise() : thrown;
  }
}

function first([id = ""]: readonly string[]): string {
  return id;
}
