import { closeSync, readFileSync, rmSync } from "node:fs";
import { messageOf } from "@scorel/kernel";
import { openRegular } from "@scorel/kit/files/open";
import { replaceFile } from "@scorel/kit/files/private";
import { errors } from "../errors.ts";
import type { Kept } from "./output.ts";

/** The most characters that are passed to `clean` at once, since a layer has a time limit. */
const PIECE = 4 * 1024 * 1024;

/**
 * Replaces the file of a long output by the part that may be stored. If that fails, the file says why it contains no
 * output. `clean` is undefined when everything may be stored.
 */
export async function storedOutput(kept: Kept, clean: ((text: string) => Promise<string>) | undefined): Promise<Kept> {
  const { spill } = kept;
  if (spill === undefined || !clean) return kept;
  try {
    const pieces: string[] = [];
    for (const piece of piecesOf(textOf(spill))) pieces.push(await clean(piece));
    replaceFile(spill, pieces.join(""));
  } catch (thrown) {
    rmSync(spill, { recursive: true, force: true });
    replaceFile(spill, `${errors.BASH_OUTPUT_UNSTORED({ reason: messageOf(thrown) }).message}\n`);
  }
  return kept;
}

/**
 * The text of the file. Another command in the sandbox may have replaced it with a link to a file that the sandbox must not see, so links
 * are refused.
 */
function textOf(path: string): string {
  const file = openRegular(path);
  if (!file) throw new Error("it is no longer a file");
  try {
    return readFileSync(file.fd, "utf8");
  } finally {
    closeSync(file.fd);
  }
}

/** The text in pieces of whole lines, unless a line is longer than a piece. */
function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const newline = text.lastIndexOf("\n", at + PIECE - 1);
    const end = text.length - at <= PIECE ? text.length : newline >= at ? newline + 1 : at + PIECE;
    yield text.slice(at, end);
    at = end;
  }
}
