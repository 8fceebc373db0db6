import { isUtf8 } from "node:buffer";
import { messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";

/** Names that are searched at most; a listing is not longer than this in bytes, either. */
export const MOST_NAMES = 300_000;
const MOST_BYTES = 64 * 2 ** 20;
const LIMIT_MS = 30_000;

const OPTIONS = ["--no-config", "--no-require-git", "--no-messages", "--color=never"];

/**
 * Lists the files of the session's directory, without those that git ignores, in no order, with ripgrep, which knows what git ignores, where the
 * executor has it. Calls `take` with each name as it comes. Returns whether there are more than it reads. Throws MENTIONS_LISTING.
 */
export async function listFiles({ ctx, workspace }: Mentions, take: (name: string) => void): Promise<boolean> {
  const files = callable(ctx);
  const directory = workspace().cwd;
  if (!files?.search) throw errors.MENTIONS_LISTING({ directory, reason: "the session's files cannot be searched" });
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(LIMIT_MS)]);
  const names = new Names(take);
  const onOutput = (chunk: Uint8Array) => {
    if (!enough.signal.aborted && !names.add(chunk)) enough.abort();
  };
  try {
    const real = await files.realpath(directory, { signal });
    await using search = await files.search(real, { signal, env: ctx.find("secrets")?.childEnv() ?? {} });
    const args = [...OPTIONS, "--files", "--null", "--hidden", "--glob=!.git", "--", search.target];
    await search.run(args, { signal, onOutput });
  } catch (thrown) {
    if (!enough.signal.aborted)
      throw errors.MENTIONS_LISTING({ directory, reason: reasonOf(thrown, signal) }, { cause: thrown });
  }
  return enough.signal.aborted;
}

/** Cuts the output of a listing into names, each of which ends with NUL. */
class Names {
  private readonly take: (name: string) => void;
  /** The beginning of a name that is not there whole. */
  private rest: Uint8Array = new Uint8Array();
  private bytes = 0;
  private count = 0;

  constructor(take: (name: string) => void) {
    this.take = take;
  }

  /** Returns false once there are enough. */
  add(chunk: Uint8Array): boolean {
    this.bytes += chunk.length;
    const end = chunk.lastIndexOf(0);
    if (end >= 0) {
      for (const name of namesIn(Buffer.concat([this.rest, chunk.subarray(0, end + 1)]))) {
        if (this.count >= MOST_NAMES) return false;
        this.count++;
        this.take(name);
      }
      this.rest = new Uint8Array();
    }
    // The chunk may be used again by who gives it.
    this.rest = Buffer.concat([this.rest, chunk.subarray(end + 1)]);
    return this.bytes <= MOST_BYTES;
  }
}

function reasonOf(thrown: unknown, signal: AbortSignal): string {
  return signal.aborted ? `it takes longer than ${LIMIT_MS / 1000} s` : messageOf(thrown);
}

/** Names that are not UTF-8 cannot be typed, and are left out. */
function namesIn(output: Buffer): string[] {
  const text = isUtf8(output) ? output.toString() : output.toString().replaceAll(/[^\0]*\uFFFD[^\0]*\0/g, "");
  const names = text.split("\0");
  // What follows the last NUL is not a whole name.
  names.pop();
  return names.map((name) => (name.startsWith("./") ? name.slice(2) : name)).filter(isTypeable);
}

/** A name with control characters could do something to a terminal. */
function isTypeable(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  return name !== "" && !/[\u0000-\u001f\u007f-\u009f]/.test(name);
}
