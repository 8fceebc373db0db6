import { join } from "node:path";
import type { SessionHeader, StoredEvent } from "@scorel/kernel";
import { Ledger } from "@scorel/kernel/store";
import type { Shelf } from "./logs.ts";
import { readableTexts } from "./readable-text.ts";

/** Details of a session with hits. */
export interface SessionDetails extends AsyncDisposable {
  cwd: string;
  createdAt: number;
  /** Time of its last event, in milliseconds since the epoch. */
  updatedAt: number;
  /** Its name, else its title, else the start of its first message. */
  title: string;
  /** Returns true when an event is part of the current conversation. */
  isActive(eventId: string): boolean;
}

const TITLE_LENGTH = 80;
const FIRST_ROWS = 100;

/** Reads a session's details from the log's index, parsing few events. Throws STORE_READ and STORE_HEADER. */
export function readDetails({ directory, logs }: Shelf, sessionId: string): SessionDetails {
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

/** Details of a session whose log cannot be read. */
export const unknownDetails: SessionDetails = {
  cwd: "",
  createdAt: 0,
  updatedAt: 0,
  title: "",
  isActive: () => true,
  [Symbol.asyncDispose]: async () => {},
};

/** Returns the rows from the root to the active leaf, which is determined by the last event. */
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

/** Returns the parent row. An event with a missing parent is attached to the one before it, as when opening the log. */
function parentOf(ledger: Ledger, row: number): number {
  const parent = ledger.parent[row] ?? -1;
  return parent === Ledger.LOST_PARENT ? row - 1 : parent;
}

function titleOf(header: SessionHeader, ledger: Ledger): string {
  const names = [...readableTexts(header), ...eventsOf(ledger, "session_info", ledger.size).flatMap(readableTexts)];
  const name = names.findLast(({ who }) => who === "name") ?? names.findLast(({ who }) => who === "title");
  const said = () => eventsOf(ledger, "message", FIRST_ROWS).flatMap(readableTexts);
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
