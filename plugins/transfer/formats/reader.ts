import type { Report } from "../import/report.ts";
import type { TreeBuilder } from "../import/tree-builder.ts";
import type { Json } from "../json.ts";

/** The target to which a format's reader writes. */
export interface ImportTarget {
  builder: TreeBuilder;
  report: Report;
  /** Sets the session's name from the file. */
  named(name: string): void;
}

/** Reads the records of one format, in file order. */
export interface Reader {
  take(record: Json): void;
  /** Called after the last record. */
  end(): void;
}
