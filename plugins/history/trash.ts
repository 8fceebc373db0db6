import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type {} from "@scorel/blobs/contract";
import type { OperationContext, Operations } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { removeOutputs, temporaryFolders } from "@scorel/kit/files/kept-outputs";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { isId } from "@scorel/kit/values/id";
import { errors } from "./errors.ts";

/** The most clients that are named. */
const MOST_NAMED = 5;

type Trashing = "delete_session" | "restore_session" | "list_trash" | "purge_sessions";
type Answer<O extends Trashing> = Operations[O]["result"];
type Named = { sessionId: string };
/** The directory of the sessions, and the format of their logs. */
type Shelf = Pick<OperationContext, "sessionsDir" | "logs">;

/**
 * Moves a session to the trash. A session is where its log is; the log moves first and returns last. So a process that
 * is killed in between leaves the session either listed or in the trash, and the next delete or restore moves the rest.
 */
export async function deleteSession(
  { sessionId: named }: Named,
  context: OperationContext,
): Promise<Answer<"delete_session">> {
  const trash = trashOf(context);
  const { ending } = context.logs;
  const sessionId = presentId(named, context) ?? deletedId(context, named) ?? context.resolve(named);
  const move = () => moveAll(filesOf(context.sessionsDir, sessionId, ending), context.sessionsDir, trash, ending);
  const others = await othersIn(context, sessionId);
  await context.alone(sessionId, move, "deleted");
  return {
    sessionId,
    trash,
    text: `Session ${sessionId} is in the trash. ${openText(others)}To restore it: scorel session restore ${sessionId}`,
  };
}

/** The names of the other clients that have a session open. */
async function othersIn({ others }: OperationContext, sessionId: string): Promise<string[]> {
  const names = (await others(sessionId)).map(({ name }) => name);
  return [...new Set(names)].sort();
}

function openText(others: readonly string[]): string {
  const first = others.slice(0, MOST_NAMED).join(", ");
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : "";
  return others.length === 0
    ? ""
    : `It was still open in ${first}${more}, where nothing can be sent until it is restored. `;
}

/** Moves a session back from the trash. Restoring a present session is not an error. */
export async function restoreSession(
  { sessionId: named }: Named,
  context: OperationContext,
): Promise<Answer<"restore_session">> {
  const trash = trashOf(context);
  const { ending } = context.logs;
  const sessionId = deletedId(context, named) ?? presentId(named, context);
  if (sessionId === undefined) throw errors.HISTORY_NOT_IN_TRASH({ sessionId: named });
  await context.alone(sessionId, () => {
    moveAll(filesOf(trash, sessionId, ending).reverse(), trash, context.sessionsDir, ending);
  });
  return { sessionId, text: `Session ${sessionId} is back.` };
}

/** Lists what a purge would delete, latest deleted first. */
export function listTrash(context: Shelf): Answer<"list_trash"> {
  const trash = trashOf(context);
  const found = [...filesIn(trash, context.logs.ending)].flatMap(([sessionId, names]) => {
    const [log] = names;
    if (!isId(sessionId) || !log?.endsWith(context.logs.ending)) return [];
    const bytes = names.reduce((sum, name) => sum + sizeOf(join(trash, name)), 0);
    return [{ at: movedAt(join(trash, log)), session: { sessionId, bytes, title: titleOf(trash, sessionId) } }];
  });
  return { sessions: found.sort((a, b) => b.at - a.at).map(({ session }) => session) };
}

/** The operation `purge_sessions`. `bytes` is the size of the deleted files of sessions. Throws HISTORY_TRASH. */
export async function purgeSessions(
  { sessionIds }: Operations["purge_sessions"]["params"],
  context: OperationContext,
): Promise<Answer<"purge_sessions">> {
  const trash = trashOf(context);
  const { ending } = context.logs;
  const all = listTrash(context).sessions;
  const wanted = sessionIds && new Set(sessionIds);
  const sessions = all.filter(({ sessionId }) => wanted?.has(sessionId) ?? true);
  const purged = new Set(sessions);
  const kept = new Set(all.filter((session) => !purged.has(session)).map(({ sessionId }) => sessionId));
  const left = filesIn(context.sessionsDir, ending);
  for (const [id, names] of filesIn(trash, ending)) {
    if (!isId(id) || kept.has(id)) continue;
    await context.alone(id, () => {
      removeAll(trash, names);
      // Also remove files that an interrupted delete left behind.
      if (hasLog(context, id)) return;
      removeAll(context.sessionsDir, left.get(id) ?? []);
      attempt(join(temporaryFolders(), id), () => removeOutputs(id));
    });
  }
  const ids = sessions.map(({ sessionId }) => sessionId);
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const blobs = await purgeBlobs(context);
  const text = `Deleted for good: ${ids.length} ${ids.length === 1 ? "session" : "sessions"}, ${bytes} bytes.`;
  const unused = blobs ? ` File contents that nothing refers to: ${blobs.removed}, ${blobs.bytes} bytes.` : "";
  return { sessions: ids, bytes, ...(blobs && { blobs }), text: text + unused };
}

async function purgeBlobs({ request }: OperationContext): Promise<Operations["purge_blobs"]["result"] | undefined> {
  try {
    return await request("purge_blobs", {});
  } catch (thrown) {
    if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return undefined;
    throw thrown;
  }
}

function trashOf({ sessionsDir }: Pick<OperationContext, "sessionsDir">): string {
  return join(dirname(sessionsDir), "trash");
}

/** Returns undefined for an unknown session; throws SESSION_AMBIGUOUS. */
function presentId(named: string, { resolve }: OperationContext): string | undefined {
  try {
    return resolve(named);
  } catch (thrown) {
    if (codeOf(thrown) === "SESSION_UNKNOWN") return undefined;
    throw thrown;
  }
}

/**
 * Whether the sessions' directory has a log of this session, also in Scorel's own format while another one is in use.
 */
function hasLog({ sessionsDir, logs }: Shelf, sessionId: string): boolean {
  return [logs.ending, ".jsonl"].some((ending) => existsSync(join(sessionsDir, sessionId + ending)));
}

function deletedId(shelf: Shelf, named: string): string | undefined {
  const matches = deletedIds(shelf).filter((id) => named !== "" && id.startsWith(named));
  if (matches.length > 1) throw errors.HISTORY_AMBIGUOUS({ named, what: "sessions in the trash", matches });
  return matches[0];
}

function deletedIds(shelf: Shelf): string[] {
  return namesIn(trashOf(shelf))
    .filter((name) => name.endsWith(shelf.logs.ending))
    .map(idOf)
    .filter(isId);
}

/** Returns a session's files, its log first. Excludes its lock, which the caller holds. */
function filesOf(directory: string, sessionId: string, ending: string): string[] {
  return filesIn(directory, ending).get(sessionId) ?? [];
}

/** Returns the files of all sessions in a directory by session, as `filesOf` does for one. Reads the directory once. */
function filesIn(directory: string, ending: string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const name of namesIn(directory)) {
    const id = idOf(name);
    const own = files.get(id) ?? [];
    if (name.startsWith(`${id}.lock`)) continue;
    files.set(id, name.endsWith(ending) ? [name, ...own] : [...own, name]);
  }
  return files;
}

function idOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(".")));
}

/** Moves files without overwriting: an existing target is found before the first move. */
function moveAll(names: readonly string[], from: string, to: string, ending: string): void {
  attempt(to, () => makeFolder(to));
  const taken = names.find((name) => name.endsWith(ending) && existsSync(join(to, name)));
  if (taken !== undefined) throw errors.HISTORY_TRASH_TAKEN({ path: join(to, taken) });
  for (const name of names) attempt(join(from, name), (path) => renameSync(path, join(to, name)));
}

function removeAll(directory: string, names: readonly string[]): void {
  for (const name of names) attempt(join(directory, name), (path) => rmSync(path, { force: true }));
}

function attempt(path: string, work: (path: string) => void): void {
  try {
    work(path);
  } catch (thrown) {
    throw errors.HISTORY_TRASH({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The time at which a file was last moved: a rename changes its status. */
function movedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads the title from the session's summary file; "" without one. */
function titleOf(trash: string, sessionId: string): string {
  const path = join(trash, `${sessionId}.index.json`);
  if (!existsSync(path)) return "";
  try {
    const { summary } = JSON.parse(readFileSync(path, "utf8")) as { summary?: { name?: string; title?: string } };
    return summary?.name ?? summary?.title ?? "";
  } catch {
    return "";
  }
}
