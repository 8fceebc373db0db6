import { existsSync, readdirSync } from "node:fs";
import { codeOf } from "@scorel/kernel";
import { isId } from "@scorel/kit/values/id";
import type { Logs } from "./contract.ts";
import { readEnds } from "./ends.ts";
import { LOG_VERSION, scanHeader } from "./header.ts";
import { isIndexWhole } from "./index-file.ts";
import { createJsonlStore } from "./jsonl-store.ts";
import { readLog, scanRest } from "./scan.ts";

const ENDING = ".jsonl";

/** The service `logs`, with files of JSON lines. */
export const jsonlLogs: Logs = {
  version: LOG_VERSION,
  ending: ENDING,
  open: createJsonlStore,
  header: scanHeader,
  scan: readLog,
  ends: readEnds,

  list(directory) {
    try {
      const names = readdirSync(directory).filter((name) => name.endsWith(ENDING));
      return names.map((name) => name.slice(0, -ENDING.length)).filter(isId);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return [];
      throw thrown;
    }
  },

  since(path, header, size) {
    const added = scanRest(path, { header, problems: [], offset: size, lines: 1 });
    return added.problems.length === 0 ? added.events : undefined;
  },

  indexState(path) {
    if (!existsSync(path)) return "none";
    try {
      return isIndexWhole(path) ? "whole" : "damaged";
    } catch {
      // The file cannot be read, or is too short.
      return "damaged";
    }
  },
};
