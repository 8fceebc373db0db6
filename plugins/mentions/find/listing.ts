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

/** Files of the session's directory, without those that git ignores, in no order. `cut` if there are more. */
export interface Listing {
  names: string[];
  cut: boolean;
}

/** Lists the files with ripgrep, which knows what git ignores, where the executor has it. Throws MENTIONS_LISTING. */
export async function listFiles({ ctx, workspace }: Mentions): Promise<Listing> {
  const files = callable(ctx);
  const directory = workspace().cwd;
  if (!files?.search) throw errors.MENTIONS_LISTING({ directory, reason: "the session's files cannot be searched" });
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(LIMIT_MS)]);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const onOutput = (chunk: Uint8Array) => {
    if (enough.signal.aborted) return;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) enough.abort();
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
  const names = namesIn(Buffer.concat(chunks));
  return { names: names.slice(0, MOST_NAMES), cut: enough.signal.aborted || names.length > MOST_NAMES };
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
