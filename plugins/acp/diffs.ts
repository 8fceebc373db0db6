import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { cleanText } from "./clean.ts";

/** A changed part of a file, and the line at which it starts in the new version. */
export interface Part {
  line: number;
  oldText: string;
  newText: string;
}

const HEAD = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Splits a unified diff into the changed parts of the file. */
export function partsOf(unified: string): Part[] {
  const parts: { line: number; old: string[]; now: string[] }[] = [];
  for (const row of unified.split("\n")) {
    const [, line] = HEAD.exec(row) ?? [];
    const part = parts.at(-1);
    if (line !== undefined) parts.push({ line: Math.max(1, Number(line)), old: [], now: [] });
    else if (part && row.startsWith("-")) part.old.push(row.slice(1));
    else if (part && row.startsWith("+")) part.now.push(row.slice(1));
    else if (part && row.startsWith(" ")) {
      part.old.push(row.slice(1));
      part.now.push(row.slice(1));
    }
  }
  return parts.map(({ line, old, now }) => ({ line, oldText: old.join("\n"), newText: now.join("\n") }));
}

/** A changed part as content of a tool call. `path` is absolute. A new file has no old text. */
export function diffPart(path: string, { oldText, newText }: Omit<Part, "line">, isNew = false): ToolCallContent {
  return {
    type: "diff",
    path,
    oldText: isNew ? null : cleanText(oldText),
    newText: cleanText(newText),
  };
}

/** Resolves a path in a session's directory. */
export function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
