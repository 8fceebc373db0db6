import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "@scorel/kernel";
import { ripgrepFault } from "@scorel/kit/process/ripgrep";
import { errors } from "./errors.ts";

/** A matching line without its line feed. */
export interface FoundLine {
  file: string;
  line: Buffer;
}
export interface Wanted {
  directory: string;
  /** Names of files in the directory, in search order. */
  files: readonly string[];
  /** A ripgrep regular expression, matched against each line's bytes. */
  pattern: string;
  ignoreCase?: boolean;
  signal: AbortSignal;
}

const NUL = 0;
const LINE_FEED = 10;
/** Maximum number of file names per process, well below any system's limit. */
const FILES_AT_ONCE = 2_000;
/** Logs are text whatever they contain; one thread keeps the order; without mmap, a log may be truncated meanwhile. */
const ALWAYS = ["--no-config", "--text", "--no-mmap", "--no-messages", "--color=never", "--threads=1"];
const FORM = ["--with-filename", "--null", "--no-line-number", "--no-heading", "--line-buffered"];

/** Yields matching lines as they are found, file by file. Ending the iteration stops ripgrep. Throws FIND_FAILED. */
export async function* matchingLines({ files, ...wanted }: Wanted): AsyncGenerator<FoundLine> {
  for (let first = 0; first < files.length; first += FILES_AT_ONCE)
    yield* searched({ ...wanted, files: files.slice(first, first + FILES_AT_ONCE) });
}

async function* searched({ directory, files, pattern, ignoreCase, signal }: Wanted): AsyncGenerator<FoundLine> {
  const args = [...ALWAYS, ...FORM, ...(ignoreCase ? ["--ignore-case"] : []), "-e", pattern, "--", ...files];
  const path = await program(directory);
  signal.throwIfAborted();
  // Empty environment, since ripgrep needs none and it may hold keys.
  const child = spawn(path, args, {
    cwd: directory,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  const ended = once(child, "close");
  ended.catch(() => {}); // Prevents an unhandled rejection; the failure is reported below.
  const said = complaintOf(child);
  try {
    for await (const record of recordsOf(child.stdout)) yield record;
    const [code] = await ended;
    signal.throwIfAborted();
    const reason = ripgrepFault({ exitCode: code, stderr: said() }) ?? (code === 2 ? said() : "");
    if (reason !== "") throw errors.FIND_FAILED({ directory, reason });
  } catch (thrown) {
    throw signal.aborted ? signal.reason : failure(directory, thrown);
  } finally {
    signal.removeEventListener("abort", end);
    if (child.exitCode === null) end();
  }
}

/** Collects the start of stderr. */
function complaintOf({ stderr }: ChildProcess): () => string {
  let said = "";
  stderr?.on("data", (chunk: Buffer) => {
    if (said.length < 1_000) said += chunk.toString();
  });
  return () => said.trim();
}

/** Parses ripgrep's output: `<file> NUL <line> LF` per record. */
async function* recordsOf(stdout: AsyncIterable<Buffer>): AsyncGenerator<FoundLine> {
  let parts: Buffer[] = [];
  for await (const chunk of stdout) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const record = Buffer.concat([...parts, chunk.subarray(start, end)]);
      const stop = record.indexOf(NUL);
      yield { file: record.toString("utf8", 0, stop), line: record.subarray(stop + 1) };
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}

async function program(directory: string): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (thrown) {
    throw errors.FIND_FAILED(
      { directory, reason: `ripgrep is not installed (${messageOf(thrown)})` },
      { cause: thrown },
    );
  }
}

function failure(directory: string, thrown: unknown): unknown {
  const { syscall } = thrown as NodeJS.ErrnoException;
  return syscall === undefined
    ? thrown
    : errors.FIND_FAILED({ directory, reason: messageOf(thrown) }, { cause: thrown });
}
