import { holderOf, isHeld } from "@scorel/kit/files/lock";
import type { DaemonContext } from "./context.ts";

/** The most sessions that the text names. */
const NAMED = 5;

/** A session that a process other than the host has open for writing. */
export interface HeldSession {
  sessionId: string;
  pid: number;
  /** When the process was started. */
  since: string;
}

/** The sessions of this home that processes other than the host, and other than this one, have open. */
export function heldElsewhere(ctx: Pick<DaemonContext, "find">, host: number | undefined): HeldSession[] {
  const logs = ctx.find("sessionLogs");
  return (logs?.locked() ?? []).flatMap((sessionId) => {
    const path = logs?.lockFile(sessionId) as string;
    const holder = holderOf(path);
    if (!holder || holder.pid === host || holder.pid === process.pid || !isHeld(path, holder)) return [];
    return { sessionId, pid: holder.pid, since: holder.since };
  });
}

/** Describes the sessions that are open in other processes than the host, and how to open them in the host; "" if there are none. */
export function elsewhereText(held: readonly HeldSession[]): string {
  if (held.length === 0) return "";
  const rows = held
    .slice(0, NAMED)
    .map(({ sessionId, pid, since }) => `  ${sessionId} (process ${pid}, since ${since})\n`);
  const more = held.length > NAMED ? `  … ${held.length - NAMED} more\n` : "";
  const how =
    "Leave it there with /exit: terminals that share it continue in the host, and `scorel attach <session>` opens it there.";
  const head = `not in the host, but open in ${held.length === 1 ? "another process" : "other processes"}:`;
  return `${head}\n${rows.join("")}${more}  ${how}\n`;
}
