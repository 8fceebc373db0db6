import type { KernelEntry } from "@scorel/kernel";
import { failureText } from "@scorel/kit/values/failure-text";
import type { Notice } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import type { OpenSession, SessionPlugins } from "./open-session.ts";
import { queueOf } from "./queued.ts";
import type { SessionStarter } from "./starter.ts";

/** Whether neither a turn nor anything else holds the path. */
export function isIdle({ kernel }: Pick<OpenSession, "kernel">): boolean {
  return kernel.find("agent")?.running !== true && !kernel.session.held;
}

/** Throws HOST_SESSION_BUSY during a turn or while anything else holds the path. */
export function assertIdle({ id, kernel }: Pick<OpenSession, "id" | "kernel">): void {
  if (!isIdle({ kernel })) throw errors.HOST_SESSION_BUSY({ sessionId: id });
}

/**
 * Throws HOST_RELOAD if a running extension would be left out because of a problem, so that a typo cannot disable a guard. Extensions
 * that were deleted or switched off may be left out.
 */
export function assertKeepsExtensions(session: OpenSession, made: SessionPlugins): void {
  const { id, workspace } = session;
  if (workspace.trusted !== undefined && made.trusted === undefined && made.untrusted !== undefined)
    throw errors.HOST_RELOAD({ sessionId: id, reasons: [made.untrusted, DEVELOPED] });
  const kept = new Set(made.entries.map(({ plugin }) => plugin.id));
  const lost = extensionsIn(session).filter(({ plugin }) => !kept.has(plugin.id));
  const reasons = made.problems.filter((problem) => lost.some((entry) => isAbout(problem, entry)));
  if (reasons.length > 0) throw errors.HOST_RELOAD({ sessionId: id, reasons: reasons.map(({ message }) => message) });
}

/** Throws HOST_RELOAD when an extension that ran before failed to start. */
function assertStarted(ran: readonly KernelEntry[], { id, kernel }: OpenSession): void {
  const isOne = (id: string) => ran.some(({ plugin }) => plugin.id === id);
  const lost = kernel.failures.filter(({ plugin, where }) => where === "start" && isOne(plugin));
  if (lost.length > 0) throw errors.HOST_RELOAD({ sessionId: id, reasons: lost.map(failureText) });
}

/** Stops a session and starts its replacement; if that fails, starts the old one again. */
export async function replace(
  starter: SessionStarter,
  before: OpenSession,
  made: SessionPlugins,
): Promise<{ session: OpenSession; failure?: unknown }> {
  const wanted = starter.again(before);
  const ran = extensionsIn(before);
  before.kernel.session.emit("session_end", { reason: "reload" });
  await before.kernel.stop();
  // Many reloads in a row, as from a pipe, must let other work run in between.
  await new Promise<void>((done) => setImmediate(done));
  try {
    const session = await starter.start(wanted, made, (session) => {
      assertStarted(ran, session);
      carryOver(before, session);
    });
    return { session };
  } catch (failure) {
    return {
      session: await starter.start(wanted, before.made, (session) => carryOver(before, session)),
      failure,
    };
  }
}

/** Moves clients, turns and listeners from the old session to its replacement. */
function carryOver(before: OpenSession, session: OpenSession): void {
  for (const user of before.users) session.users.add(user);
  // The turns of queued messages are still to come. The former agent has given them up.
  const waiting = new Set(queueOf(session).items.map(({ id }) => id));
  for (const [id, turn] of before.turns) if (!waiting.has(id)) session.turns.set(id, turn);
  for (const follow of before.followers) {
    session.followers.add(follow);
    follow(session);
  }
}

const DEVELOPED = "If you write it yourself, `scorel trust --dev` takes each change without a question.";

/** Returns the extensions that are running in a session. */
function extensionsIn({ made, kernel }: OpenSession): KernelEntry[] {
  const census = kernel.census();
  return made.entries.filter(({ plugin, contained }) => contained && census[`plugin ${plugin.id}`] !== undefined);
}

/** A problem may concern a whole folder or all extensions. */
function isAbout({ origin }: Notice, entry: KernelEntry): boolean {
  return origin === "extensions" || entry.origin.startsWith(origin);
}
