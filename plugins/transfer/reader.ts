import type { Grower } from "./grower.ts";
import type { Json } from "./json.ts";
import type { Report } from "./report.ts";

/** What a reader of a format grows a session with. */
export interface Desk {
  grower: Grower;
  report: Report;
  /** The session's name, as far as the file says. */
  named(name: string): void;
}

/** Reads the records of one format, in the order of the file. */
export interface Reader {
  take(record: Json): void;
  /** After the last record. */
  end(): void;
}
