/** Stores each session in a SQLite database instead of a JSON Lines file; enabled by a preset. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { definePlugin } from "@scorel/kernel";
import { isId } from "@scorel/kernel/store";
import type { Logs } from "@scorel/logs/contract";
import { headerOf, SqliteStore, VERSION } from "./store.ts";

const ENDING = ".sqlite";

export const sqliteLogs: Logs = {
  version: VERSION,
  ending: ENDING,
  open: (path, options) => new SqliteStore(path, options),
  header: (path) => ({ header: headerOf(path), problems: [] }),

  list(directory) {
    const names = existsSync(directory) ? readdirSync(directory) : [];
    return names
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .filter(isId);
  },

  scan(path) {
    const { header, ledger, problems } = new SqliteStore(path, { readOnly: true }).open();
    const { size: bytes } = statSync(path);
    return { header, problems: [...problems], ledger, bytes, placeOf: (row) => ({ line: row + 1, offset: 0 }) };
  },
};

export default definePlugin({
  id: "logs",
  name: "Logs in SQLite",
  version: "1.0.0",
  scope: "host",
  provides: ["logs"],
  needs: [],

  activate(ctx) {
    ctx.provide("logs", sqliteLogs);
  },
});
