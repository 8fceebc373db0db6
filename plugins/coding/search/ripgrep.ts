import { isUtf8 } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { codeOf, messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { decodeName } from "../files/names.ts";

/** The time limit of a search in milliseconds; exceeding it is an error. */
const LIMIT_MS = 60_000;

export interface Search {
  /** The base of relative names and globs. */
  cwd: string;
  /** The same folder under a path that cannot be redirected, in which ripgrep is started. Default: `cwd`. */
  heldCwd?: string;
  /** An open file for ripgrep's standard input. */
  input?: number;
  env: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Ignores user configuration, and respects ignore files outside of git repositories too. */
const ALWAYS = ["--no-config", "--no-require-git", "--no-messages", "--color=never"];

/** Returns all of ripgrep's output. Throws SEARCH_PATTERN for a bad expression or glob, otherwise SEARCH_FAILED. */
export async function ripgrep(args: readonly string[], search: Search): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await run(args, search, async (stdout) => {
    for await (const chunk of stdout) chunks.push(chunk as Buffer);
  });
  return Buffer.concat(chunks);
}

/** Passes each record of ripgrep's JSON output to `take`. */
export async function ripgrepJson(
  args: readonly string[],
  search: Search,
  take: (record: unknown) => void,
): Promise<void> {
  await run(["--json", ...args], search, async (stdout) => {
    for await (const line of linesOf(stdout)) take(JSON.parse(line));
  });
}

/** Splits names at NULs, without the leading `./`. */
export function namesIn(output: Buffer): string[] {
  // Decoded at once, since there may be a hundred thousand names.
  if (isUtf8(output)) return output.toString().split("\0").slice(0, -1).map(withoutDot);
  const names: string[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    names.push(nameOf(output.subarray(start, end)));
    start = end + 1;
  }
  return names;
}

/** A name from ripgrep's output. */
export function nameOf(bytes: Buffer): string {
  return withoutDot(decodeName(bytes));
}

function withoutDot(name: string): string {
  return name.startsWith("./") ? name.slice(2) : name;
}

/** Compares independently of the locale. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function run(args: readonly string[], search: Search, read: (stdout: Readable) => Promise<void>): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const signal = search.signal ? AbortSignal.any([search.signal, limit]) : limit;
  const child = spawn(await program(), [...ALWAYS, ...args], {
    cwd: search.heldCwd ?? search.cwd,
    env: search.env,
    signal,
    killSignal: "SIGKILL",
    stdio: [search.input ?? "ignore", "pipe", "pipe"],
  });
  const ended = endOf(child);
  try {
    // Without free file descriptors the pipes do not exist.
    const { stdout, stderr } = child as ChildProcess;
    if (!stdout || !stderr) return judge(await ended, "");
    let said = "";
    stderr.on("data", (chunk: Buffer) => {
      if (said.length < 4096) said += chunk.toString();
    });
    await read(stdout);
    judge(await ended, said);
  } catch (thrown) {
    search.signal?.throwIfAborted();
    if (limit.aborted)
      throw errors.SEARCH_FAILED({ reason: `it took longer than ${LIMIT_MS / 1000} s. Narrow the path or the glob.` });
    throw thrown;
  }
}

/** The exit code. Rejects with SEARCH_FAILED if ripgrep did not start. */
function endOf(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (thrown) => {
      const code = codeOf(thrown);
      const noFiles = code === "EMFILE" || code === "ENFILE";
      const why = noFiles ? `${code}: no more files can be open at once; raise the limit, see \`ulimit -n\`` : code;
      reject(errors.SEARCH_FAILED({ reason: `ripgrep did not start (${why})` }, { cause: thrown }));
    });
    child.once("close", resolve);
  });
  ended.catch(() => {}); // Reading may fail first.
  return ended;
}

/** Exit code 0: found; 1: nothing found; 2: an error in the request, or, without output, in reading some file. */
function judge(code: number | null, said: string): void {
  if (code === 2 && said.trim() !== "") throw errors.SEARCH_PATTERN({ reason: said.trim() });
}

/** Only a line feed ends a record; other separators may occur inside one. */
async function* linesOf(stdout: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}

async function program(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (thrown) {
    throw errors.SEARCH_FAILED({ reason: `ripgrep is not installed (${messageOf(thrown)})` }, { cause: thrown });
  }
}
