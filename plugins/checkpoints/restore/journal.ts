import * as fs from "node:fs";
import { dirname } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { replaceFile } from "@scorel/kit/files/private";
import { z } from "zod";
import { inside, state } from "../record/state.ts";

const journal = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[0-9A-Za-z]+$/),
  root: z.string(),
  /** The event whose files are restored. */
  target: z.string(),
  steps: z.array(z.object({ path: inside, before: state, after: state })),
});
/** A restore in progress. It is written to disk before the first file changes, so that it can be finished after a crash. */
export type Journal = z.output<typeof journal>;

/** Writes a journal atomically. */
export function writeJournal(path: string, content: Omit<Journal, "v" | "id">): Journal {
  const written: Journal = { v: 1, id: newId(), ...content };
  makeFolder(dirname(path));
  replaceFile(path, JSON.stringify(written), { durable: true });
  return written;
}

/** Reads the journal of an interrupted restore; undefined if it is missing or damaged. */
export function readJournal(path: string): Journal | undefined {
  try {
    return journal.safeParse(JSON.parse(fs.readFileSync(path, "utf8"))).data;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Removes the journal of a restore that is complete. */
export function endJournal(path: string): void {
  fs.rmSync(path, { force: true });
}
