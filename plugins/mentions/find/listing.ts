import { isUtf8 } from "node:buffer";
import { messageOf } from "@scorel/kernel";
import { ripgrepFault } from "@scorel/kit/process/ripgrep";
import { errors } from "../errors.ts";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";

/** The most names that are searched; below, the most bytes of a listing. */
export const MOST_NAMES = 300_000;
const MOST_BYTES = 64 * 2 ** 20;
const LIMIT_MS = 30_000;

const OPTIONS = ["--no-config", "--no-require-git", "--no-messages", "--color=never"];

/**
 * Lists the files of the session's directory, in no order, without those that git ignores. Uses ripgrep if the executor has it, since it
 * knows which files git ignores. Calls `take` with each name as it comes. Returns whether there are more names than the limits allow. Throws
 * MENTIONS_LISTING.
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
    const fault = ripgrepFault(await search.run(args, { signal, onOutput }));
    if (fault !== undefined) throw new Error(fault);
  } catch (thrown) {
    if (!enough.signal.aborted)
      throw errors.MENTIONS_LISTING({ directory, reason: reasonOf(thrown, signal) }, { cause: thrown });
  }
  return enough.signal.aborted;
}

/** Splits the output of a listing into names, each of which ends with NUL. */
class Names {
  private readonly take: (name: string) => void;
  /** The beginning of a name that is not complete. */
  private rest: Uint8Array = new Uint8Array();
  private bytes = 0;
  private count = 0;

  constructor(take: (name: string) => void) {
    this.take = take;
  }

  /** Adds output. Returns false once a limit is reached. */
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
    // Copied, since the caller may reuse the chunk.
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
  // The part after the last NUL is not a complete name.
  names.pop();
  return names.map((name) => (name.startsWith("./") ? name.slice(2) : name)).filter(isTypeable);
}

/** Whether a name can be typed. Names with control characters, which a terminal would obey, are left out. */
function isTypeable(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  return name !== "" && !/[\u0000-\u001f\u007f-\u009f]/.test(name);
}
