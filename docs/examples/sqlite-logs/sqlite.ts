import { createRequire } from "node:module";
import { ScorelError } from "@scorel/kernel";

/** The part of a SQLite database that the store uses; `node:sqlite` and better-sqlite3 both have it. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): {
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): unknown;
  };
  close(): void;
}
type Open = (path: string, readOnly: boolean) => Database;

let found: Open | undefined;

/** Opens a database with Node's own SQLite (from 22.13 on), or else with an installed better-sqlite3. */
export function openDatabase(path: string, readOnly: boolean): Database {
  found ??= ofNode() ?? ofPackage();
  if (!found)
    throw new ScorelError(
      "SQLITE_MISSING",
      `This Node.js (${process.version}) has no SQLite. Run Scorel with Node.js 22.13 or newer, or install better-sqlite3 beside this extension: npm install --prefix ~/.scorel/extensions better-sqlite3`,
    );
  return found(path, readOnly);
}

function ofNode(): Open | undefined {
  const sqlite = process.getBuiltinModule?.("node:sqlite" as never) as
    | { DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database }
    | undefined;
  return sqlite && ((path, readOnly) => new sqlite.DatabaseSync(path, { readOnly }));
}

function ofPackage(): Open | undefined {
  try {
    const Sqlite = createRequire(import.meta.url)("better-sqlite3");
    return (path, readonly) => new Sqlite(path, { readonly }) as Database;
  } catch {
    return undefined;
  }
}
