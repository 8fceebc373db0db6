import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { codeOf, messageOf, ScorelError, type SessionHeader, type StoredEvent } from "@scorel/kernel";
import { freeze, Ledger, type Opened, type Problem, type Store } from "@scorel/kernel/store";
import { type Database, openDatabase } from "./sqlite.ts";

/** The version in the header of a session. */
export const VERSION = 2;

// The default rollback journal, not a write-ahead log, so that all committed data is in the session's own file.
const SCHEMA = `CREATE TABLE header (json TEXT NOT NULL);
CREATE TABLE events (row INTEGER PRIMARY KEY, json TEXT NOT NULL);`;

export interface StoreOptions {
  /** The header of a new session; the file appears with the first append. */
  create?: SessionHeader;
  readOnly?: boolean;
}

/** The events of one session as rows of a SQLite database. */
export class SqliteStore implements Store {
  private readonly path: string;
  private readonly options: StoreOptions;
  private readonly problems: Problem[] = [];
  private readonly ledger = new Ledger((row) => this.read(row));
  /** Recently read or appended events, by row. */
  private readonly recent = new Map<number, StoredEvent>();
  private database: Database | undefined;
  /** The database row of each ledger row; a damaged record has only a database row. */
  private readonly places: number[] = [];
  private readonly rowOf = new Map<number, number>();
  private next = 0;
  private readOnly: string | undefined;

  constructor(path: string, options: StoreOptions = {}) {
    this.path = path;
    this.options = options;
    if (options.readOnly) this.readOnly = "it was opened so";
  }

  open(): Opened {
    const { create } = this.options;
    if (create) return { header: create, ledger: this.ledger, problems: this.problems };
    const header = headerIn(this.opened());
    if (header.version > VERSION) this.readOnly ??= `its format ${header.version} is newer than this extension knows`;
    for (const { row, json } of this.all()) this.take(row, json);
    const { ledger, problems, readOnly } = this;
    return { header, ledger, problems, ...(readOnly !== undefined && { readOnly }) };
  }

  /** Appends all records or none, in one transaction, which is on disk when it is committed. */
  append(records: readonly string[], events: readonly StoredEvent[] = []): void {
    if (this.readOnly !== undefined)
      throw new ScorelError("STORE_READ_ONLY", `The log ${this.path} is open for reading only: ${this.readOnly}.`);
    this.transaction((database) => {
      const insert = database.prepare("INSERT INTO events (row, json) VALUES (?, ?)");
      for (const [index, record] of records.entries()) insert.run(this.next + index, record);
    });
    for (const index of records.keys()) {
      const event = events[index];
      if (event) this.remember(this.places.length, event);
      this.place(this.next++);
    }
  }

  search(text: string, first: number): readonly number[] {
    if (first >= this.places.length) return [];
    const found = this.opened().prepare("SELECT row FROM events WHERE row >= ? AND instr(json, ?) > 0 ORDER BY row");
    const rows = found.all(this.places[first], text) as { row: number }[];
    return rows.flatMap(({ row }) => this.rowOf.get(row) ?? []);
  }

  async sync(): Promise<void> {
    // Nothing to do: with `synchronous = FULL` a committed transaction is on disk.
  }

  async close(): Promise<void> {
    this.database?.close();
    this.database = undefined;
    this.readOnly = "it is closed";
  }

  private read(row: number): StoredEvent | undefined {
    const known = this.recent.get(row);
    if (known) return known;
    const found = this.opened().prepare("SELECT json FROM events WHERE row = ?").get(this.places[row]) as
      | { json: string }
      | undefined;
    const event = found && eventIn(found.json);
    if (event) this.remember(row, event);
    return event;
  }

  private remember(row: number, event: StoredEvent): void {
    if (this.recent.size >= 1_000) this.recent.clear();
    this.recent.set(row, event);
  }

  private all(): { row: number; json: string }[] {
    return this.opened().prepare("SELECT row, json FROM events ORDER BY row").all() as { row: number; json: string }[];
  }

  private take(row: number, json: string): void {
    const event = eventIn(json);
    this.next = row + 1;
    if (!event)
      this.problems.push({ line: row + 1, offset: 0, reason: "json: the record is not an event", lost: true });
    else this.place(row, this.ledger.add(event));
  }

  private place(row: number, at = this.places.length): void {
    this.places[at] = row;
    this.rowOf.set(row, at);
  }

  private transaction(work: (database: Database) => void): void {
    const isNew = this.next === 0 && this.options.create !== undefined;
    try {
      // Creates the file with private permissions; SQLite accepts an empty file as an empty database.
      if (isNew) closeSync(openSync(this.path, "wx", 0o600));
      const database = this.opened();
      database.exec("BEGIN IMMEDIATE");
      try {
        if (isNew) this.begin(database);
        work(database);
        database.exec("COMMIT");
      } catch (thrown) {
        database.exec("ROLLBACK");
        throw thrown;
      }
    } catch (thrown) {
      if (isNew) this.discard();
      if (thrown instanceof ScorelError) throw thrown;
      const reason = codeOf(thrown, messageOf(thrown));
      throw new ScorelError("STORE_WRITE", `The log ${this.path} could not be written (${reason}).`, { cause: thrown });
    }
  }

  private begin(database: Database): void {
    database.exec(SCHEMA);
    database.prepare("INSERT INTO header (json) VALUES (?)").run(JSON.stringify(this.options.create));
  }

  /** Removes the file of a new session whose first append failed. */
  private discard(): void {
    this.database?.close();
    this.database = undefined;
    rmSync(this.path, { force: true });
  }

  private opened(): Database {
    if (!this.database) {
      assertThere(this.path);
      this.database = openDatabase(this.path, this.options.readOnly === true);
      this.database.exec("PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL");
    }
    return this.database;
  }
}

/** Reads the header of a session's file. Throws STORE_READ and STORE_HEADER. */
export function headerOf(path: string): SessionHeader {
  assertThere(path);
  const database = openDatabase(path, true);
  try {
    return headerIn(database, path);
  } finally {
    database.close();
  }
}

function headerIn(database: Database, path = "the file"): SessionHeader {
  try {
    const { json } = database.prepare("SELECT json FROM header").get() as { json: string };
    return JSON.parse(json) as SessionHeader;
  } catch (thrown) {
    const reason = messageOf(thrown);
    throw new ScorelError("STORE_HEADER", `${path} is not a session: ${reason}.`, { cause: thrown });
  }
}

function assertThere(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new ScorelError("STORE_READ", `The log ${path} could not be read (there is no such file).`);
}

function eventIn(json: string): StoredEvent | undefined {
  try {
    const event = JSON.parse(json) as StoredEvent;
    return typeof event?.id === "string" && typeof event.type === "string" ? freeze(event) : undefined;
  } catch {
    return undefined;
  }
}
