import { readFileSync } from "node:fs";
import { codeOf } from "@scorel/kernel";
import { replaceFile } from "@scorel/kit/files/private";
import { z } from "zod";

/** A record of an input that was put into the workspace. */
export const inputRecord = z.object({
  from: z.string(),
  /** Relative to the workspace. */
  to: z.string(),
  sha256: z.string(),
  artifact: z.string().optional(),
  version: z.number().optional(),
  /** Milliseconds since the epoch. */
  ts: z.number(),
});
export type InputRecord = z.output<typeof inputRecord>;

const metadata = z.object({
  version: z.literal(1),
  /** The staged skills, by name. */
  skills: z.record(
    z.string(),
    z.object({ digest: z.string(), folder: z.string(), seen: z.string().optional(), source: z.string().optional() }),
  ),
  /** The latest input at each destination, in the order in which they were put there. */
  inputs: z.array(inputRecord),
});
/** The record of a workspace that is stored between runs. */
export type Metadata = z.output<typeof metadata>;

/** Reads the metadata. A missing or damaged file counts as a new workspace, so that everything is staged again. */
export function readMetadata(path: string): Metadata {
  const empty: Metadata = { version: 1, skills: {}, inputs: [] };
  try {
    return metadata.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? empty;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || thrown instanceof SyntaxError) return empty;
    throw thrown;
  }
}

/** Replaces the metadata file atomically. Throws file system errors. */
export function writeMetadata(path: string, data: Metadata): void {
  replaceFile(path, JSON.stringify(data));
}
