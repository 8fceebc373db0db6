import { statSync } from "node:fs";
import type { Completion, Invocation } from "@scorel/cli/contract";
import { codeOf, messageOf, ScorelError, type Session, type StoredEvent } from "@scorel/kernel";
import type { Ledger } from "@scorel/kernel/store";
import { sha256Of } from "@scorel/kit/files/hash";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { displayText } from "@scorel/kit/text/display";
import { localMinute } from "@scorel/kit/text/local-time";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { QueuedMessage, SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import type { LocalHost } from "../host.ts";
import { bookOf, listed, type SessionsNearby, sessionsNearby } from "../places.ts";
import type { OpenSession } from "../sessions/open-session.ts";
import { queueOf } from "../sessions/queued.ts";
import { verifyLog } from "../sessions/verify.ts";
import { isLocked } from "../storage/lock.ts";
import { besideLog } from "../storage/session-store.ts";
import { canonicalDirectory } from "../workspace.ts";
import { isWhole } from "./is-whole.ts";

/** Prints `session list`. */
export async function list({ sessions }: LocalHost, invocation: Invocation): Promise<number> {
  const { output, project, limit } = invocation.options as Record<string, string | undefined>;
  const all = invocation.options.all === true || project !== undefined;
  const { value: book, problems } = await bookOf(sessions.parent);
  if (problems[0] && project !== undefined) throw new ScorelError(problems[0].code, problems[0].message);
  for (const { message } of problems) invocation.stderr.write(`warning: ${message}\n`);
  const every = sessions.shelf.list();
  const from = canonicalDirectory(invocation.cwd);
  const wanted = {
    project,
    from,
    children: invocation.options.children === true,
    archived: invocation.options.archived === true,
    ...(!all && { cwd: from }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  const found = listed(every, book, wanted).slice(0, wanted.limit);
  // The directory of an unreadable session is unknown, so lists of single directories warn of all of them.
  for (const { problem } of all ? [] : every)
    if (problem !== undefined) invocation.stderr.write(`warning: ${problem}\n`);
  if (output === "json") return say(invocation, `${JSON.stringify(found)}\n`);
  if (found.length > 0) return say(invocation, found.map((summary) => `${row(summary, all)}\n`).join(""));
  const hint = all ? "" : otherLists(from, sessionsNearby(listed(every, book, { from }), book, from));
  invocation.stderr.write(
    `No sessions ${project !== undefined ? `in project ${project} yet` : all ? "yet" : `in ${invocation.cwd}`}.${hint}\n`,
  );
  return 0;
}

/** The commands that list sessions of other directories than this one, which has none. */
function otherLists(directory: string, { above, inProject }: SessionsNearby): string {
  const nearby =
    above !== undefined
      ? ` \`scorel session list --cwd ${above}\` shows those of ${above}.`
      : inProject
        ? ` \`scorel session list --project ${directory}\` shows those of this project.`
        : "";
  return `${nearby} \`scorel session list --all\` shows those of other directories.`;
}

/** Returns the id of the latest session of a directory. Throws SESSION_NONE. */
export async function latestOf(sessions: LocalHost["sessions"], cwd: string): Promise<string> {
  const from = canonicalDirectory(cwd);
  const { value: book } = await bookOf(sessions.parent);
  const all = listed(sessions.shelf.list(), book, { from });
  const latest = all.find((session) => session.cwd === from);
  if (!latest) throw errors.SESSION_NONE({ cwd, ...sessionsNearby(all, book, from) });
  return latest.sessionId;
}

/** Returns the sessions of a directory, latest first, as shells offer them. */
export async function completionsOf(sessions: LocalHost["sessions"], cwd: string): Promise<Completion[]> {
  const from = canonicalDirectory(cwd);
  const { value: book } = await bookOf(sessions.parent);
  return listed(sessions.shelf.list(), book, { from, cwd: from }).map(({ sessionId, name, title }) => ({
    value: sessionId,
    description: name ?? title,
  }));
}

/** Prints `session show`. */
export function show(host: LocalHost, invocation: Invocation): Promise<number> {
  const count = tailOf(invocation);
  const said = ({ kernel: { session } }: OpenSession) => {
    const { tree, activeLeaf } = session;
    const events = activeLeaf === null ? [] : tree.way(activeLeaf, count);
    return sayAll(invocation, events, (event) => spoken(session, event));
  };
  return looking(host, invocation, said, Number.isFinite(count) ? (session) => isWhole(session, count) : undefined);
}

/** Number of bytes at the end of a long log that are tried before reading the whole log. */
const END = 2 ** 20;

/** Prints `session events`: the events as stored, for any readable log. */
export async function events({ sessions: { shelf } }: LocalHost, invocation: Invocation): Promise<number> {
  const tail = tailOf(invocation);
  const path = shelf.path(shelf.resolve(idOf(invocation)));
  const options = { readOnly: true, index: besideLog(path, "index") };
  let store = shelf.logs.open(path, Number.isFinite(tail) ? { ...options, tail: END } : options);
  try {
    let { ledger } = store.open();
    if (ledger.size < tail && Number.isFinite(tail)) {
      await store.close();
      store = shelf.logs.open(path, options);
      ledger = store.open().ledger;
    }
    return await sayAll(invocation, lastOf(ledger, tail), (event) => `${JSON.stringify(event)}\n`);
  } finally {
    await store.close();
  }
}

function* lastOf(ledger: Ledger, count: number): Generator<StoredEvent> {
  for (let row = Math.max(0, ledger.size - count); row < ledger.size; row++) {
    const event = ledger.read(row);
    if (event) yield event;
  }
}

/** Prints `session context`. */
export function context(host: LocalHost, invocation: Invocation): Promise<number> {
  return looking(host, invocation, ({ id, kernel: { session } }) => {
    const messages = session.buildContext();
    const sha256 = sha256Of(JSON.stringify(messages));
    return say(invocation, `${JSON.stringify({ sessionId: id, leafId: session.activeLeaf, sha256, messages })}\n`);
  });
}

/** Prints `session queue`. */
export function queue(host: LocalHost, invocation: Invocation): Promise<number> {
  return looking(host, invocation, (session) => {
    const { seq, items } = queueOf(session);
    if (invocation.options.output === "json") return say(invocation, `${JSON.stringify({ seq, items })}\n`);
    if (items.length > 0) return say(invocation, items.map(waitingRow).join(""));
    invocation.stderr.write("No messages are queued in this session.\n");
    return Promise.resolve(0);
  });
}

/** Number of damaged places that `session verify` lists without `--all`. */
const DAMAGE_SHOWN = 20;

function shown(damage: readonly string[], all: boolean): readonly string[] {
  const left = damage.length - DAMAGE_SHOWN;
  if (all || left <= 0) return damage;
  return [...damage.slice(0, DAMAGE_SHOWN), `${left} more damaged places; --all lists them`];
}

/** Prints `session verify`. Exit code 0 for a sound log, 1 for a damaged one. */
export async function verify({ sessions: { shelf } }: LocalHost, invocation: Invocation): Promise<number> {
  const path = shelf.path(shelf.resolve(idOf(invocation)));
  try {
    const { events, bytes, damage, notes } = verifyLog(shelf.logs, path);
    if (isLocked(besideLog(path, "lock")))
      notes.push("a process is writing this log now; a torn end may be its present line");
    const verdict = damage.length === 0 ? "sound" : `damaged (${damage.length})`;
    const lines = [
      `${path}: ${verdict}, ${events} events, ${bytes} bytes`,
      ...shown(damage, invocation.options.all === true),
      ...notes.map((note) => `note: ${note}`),
    ];
    const said = await say(invocation, `${lines.join("\n")}\n`);
    return damage.length === 0 ? said : 1;
  } catch (thrown) {
    if (codeOf(thrown) !== "STORE_HEADER") throw thrown;
    await say(invocation, `${messageOf(thrown)}\n`);
    return 1;
  }
}

/**
 * Opens a session read-only, without lock or repair, and closes it afterwards. With `suffices`, a long log is first
 * opened by its end, and then whole only when `suffices` returns false.
 */
async function looking(
  { sessions }: LocalHost,
  invocation: Invocation,
  work: (session: OpenSession) => Promise<number>,
  suffices?: (session: OpenSession) => boolean,
): Promise<number> {
  const id = sessions.shelf.resolve(idOf(invocation));
  const isLong = suffices && statSync(sessions.shelf.path(id)).size > 2 * END;
  let session = await sessions.look(id, isLong ? END : undefined);
  try {
    if (isLong && !suffices(session)) {
      await session.kernel.stop();
      session = await sessions.look(id);
    }
    return await work(session);
  } finally {
    await session.kernel.stop();
  }
}

/** Prints items one at a time, so that a long session is never completely in memory. */
async function sayAll<E>(invocation: Invocation, all: Iterable<E>, text: (one: E) => string): Promise<number> {
  const { stdout } = invocation;
  const output = createOutput(stdout);
  for (const one of all) {
    if (output.failure) break;
    const said = text(one);
    if (said !== "") await output.write(stdout.isTTY ? plainText(said) : said);
  }
  return ended(output, invocation);
}

async function say(invocation: Invocation, text: string): Promise<number> {
  const { stdout } = invocation;
  const output = createOutput(stdout);
  await output.write(stdout.isTTY ? plainText(text) : text);
  return ended(output, invocation);
}

function ended({ complaint }: Output, { stderr }: Invocation): number {
  if (complaint !== undefined) stderr.write(`${complaint}\n`);
  return complaint === undefined ? 0 : 1;
}

function idOf({ args: [id = ""] }: Invocation): string {
  return id;
}

/** Formats a session as a row of `session list`. */
export function row(
  {
    sessionId,
    updatedAt,
    messages,
    name,
    title,
    cwd,
    problem,
    parent,
    kind = "child",
    copied,
    archived,
  }: SessionSummary,
  withDirectory: boolean,
): string {
  const time = localMinute(updatedAt);
  const text = problem ?? name ?? title;
  return [
    sessionId,
    time,
    String(messages ?? "many").padStart(4),
    ...(withDirectory ? [lineOf(cwd)] : []),
    lineOf(text),
    ...(parent ? [`(${lineOf(kind)} of ${parent.sessionId})`] : []),
    ...(copied ? [copied === "import" ? "(imported)" : "(copy)"] : []),
    ...(archived ? ["(archived)"] : []),
  ].join("  ");
}

/** Returns the value of `--tail`, or infinity; throws HOST_TAIL_INVALID. */
function tailOf({ options: { tail } }: Invocation): number {
  if (tail === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d*$/.test(String(tail))) throw errors.HOST_TAIL_INVALID({ value: String(tail) });
  return Number(tail);
}

function waitingRow({ id, mode, content }: QueuedMessage): string {
  const text = typeof content === "string" ? content : content.map(partText).join(" ");
  return `${[id, mode.padEnd("follow_up".length), text.replace(/\s+/g, " ").trim()].join("  ")}\n`;
}

function partText(block: { type: string; text?: string }): string {
  return block.text ?? `[${block.type}]`;
}

function spoken(session: Session, event: StoredEvent): string {
  const action = session.display(event);
  const text = displayText(action);
  if (text === "") return "";
  if (action.display !== "bubble") return `${text}\n\n`;
  return `${action.role}: ${action.partial ? `${text.trimEnd()}\n(cut off here)` : text}\n\n`;
}
