import type { Logs } from "@scorel/logs/contract";

/** Result of checking a log. */
export interface Verdict {
  events: number;
  bytes: number;
  /** Damage, one sentence each with line and offset. */
  damage: string[];
  /** Number of events whose parent is missing; in memory they are attached to an earlier event. */
  bridged: number;
  /** Remarks that are not damage. */
  notes: string[];
}

/** Checks a log's checksums, seq order, parents and end without changing it. Throws STORE_HEADER. */
export function verifyLog(logs: Logs, path: string): Verdict {
  const { header, ledger, placeOf, problems, bytes, unterminated } = logs.scan(path);
  const verdict: Verdict = { events: ledger.size, bytes, damage: [], bridged: 0, notes: [] };
  for (const { line, offset, reason } of problems) {
    const list = reason.startsWith("unchecked") ? verdict.notes : verdict.damage;
    list.push(`line ${line}, offset ${offset}: ${reason}`);
  }
  for (let row = 0; row < ledger.size; row++) {
    if (!ledger.isOrphan(row)) continue;
    const { line, offset } = placeOf(row);
    verdict.bridged++;
    verdict.damage.push(
      `line ${line}, offset ${offset}: parent: the event's parent ${ledger.read(row)?.parentId} is not in the log before it`,
    );
  }
  if (header.version > logs.version)
    verdict.notes.push(
      `its format ${header.version} is newer than this version of Scorel knows; it is opened for reading only`,
    );
  if (unterminated) verdict.notes.push("the last event is whole, but its newline is missing; the next append adds it");
  return verdict;
}
