import { join } from "node:path";
import type { Ledger, SessionHeader, StoredEvent } from "@scorel/kernel";
import type { Shelf } from "./logs.ts";
import { spokenIn } from "./spoken.ts";

/** What is to be known of a session in which something was found. */
export interface Standing extends AsyncDisposable {
  cwd: string;
  createdAt: number;
  /** The time of its last event, in milliseconds since the epoch. */
  updatedAt: number;
  /** Its name, else its title, else how its first message begins. */
  title: string;
  /** Whether an event is part of the conversation as it stands. */
  isActive(eventId: string): boolean;
}

const TITLE_LENGTH = 80;
const FIRST_ROWS = 100;
/** What the ledger says of a record whose parent is not in the log. */
const LOST_PARENT = -2;

/** Reads it off the numbers of the log, so that little of a long one is parsed. Throws STORE_READ and STORE_HEADER. */
export function standingOf({ directory, logs }: Shelf, sessionId: string): Standing {
  const beside = join(directory, sessionId);
  const store = logs.open(beside + logs.ending, { readOnly: true, index: `${beside}.index` });
  const { header, ledger } = store.open();
  const active = activeRows(ledger);
  return {
    cwd: String(header.meta.cwd ?? ""),
    createdAt: header.createdAt,
    updatedAt: ledger.read(ledger.size - 1)?.ts ?? header.createdAt,
    title: titleOf(header, ledger),
    isActive: (eventId) => active.has(ledger.rowOf(eventId)),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** What can be said of a session whose log tells nothing. */
export const unknownStanding: Standing = {
  cwd: "",
  createdAt: 0,
  updatedAt: 0,
  title: "",
  isActive: () => true,
  [Symbol.asyncDispose]: async () => {},
};

/** The rows on the way from the root to the leaf, which the last event tells: what it is, hangs at, or goes to. */
function activeRows(ledger: Ledger): ReadonlySet<number> {
  const rows = new Set<number>();
  for (let row = leafRow(ledger); row >= 0; row = parentOf(ledger, row)) rows.add(row);
  return rows;
}

function leafRow(ledger: Ledger): number {
  const last = ledger.size - 1;
  const event = last < 0 ? undefined : (ledger.read(last) as (StoredEvent & Record<string, unknown>) | undefined);
  const target =
    event?.type === "rewind" ? event.targetEventId : event?.type === "branch" ? event.leafEventId : undefined;
  if (target === undefined) return last;
  return typeof target === "string" ? ledger.rowOf(target) : -1;
}

/** One whose parent was lost goes on at what came before it, as it does when the log is opened. */
function parentOf(ledger: Ledger, row: number): number {
  const parent = ledger.parent[row] ?? -1;
  return parent === LOST_PARENT ? row - 1 : parent;
}

function titleOf(header: SessionHeader, ledger: Ledger): string {
  const names = [...spokenIn(header), ...eventsOf(ledger, "session_info", ledger.size).flatMap(spokenIn)];
  const name = names.findLast(({ who }) => who === "name") ?? names.findLast(({ who }) => who === "title");
  const said = () => eventsOf(ledger, "message", FIRST_ROWS).flatMap(spokenIn);
  return shortened((name ?? said().find(({ who }) => who === "user"))?.text ?? "");
}

function eventsOf(ledger: Ledger, type: string, rows: number): StoredEvent[] {
  const wanted = ledger.types.indexOf(type);
  const events: StoredEvent[] = [];
  for (let row = 0; row < Math.min(rows, ledger.size); row++) {
    const event = ledger.type[row] === wanted ? ledger.read(row) : undefined;
    if (event) events.push(event);
  }
  return events;
}

function shortened(text: string): string {
  const line = text
    .slice(0, TITLE_LENGTH * 8)
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...line];
  return letters.length > TITLE_LENGTH ? `${letters.slice(0, TITLE_LENGTH - 1).join("")}…` : line;
}
