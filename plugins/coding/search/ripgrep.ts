import { isUtf8 } from "node:buffer";
import { codeOf, messageOf } from "@scorel/kernel";
import { decodeName } from "@scorel/kit/files/names";
import { ripgrepFault } from "@scorel/kit/process/ripgrep";
import type { FileSearch, SearchEnd } from "@scorel/local/contract";
import { errors } from "../errors.ts";

/** The time limit of a search in milliseconds; exceeding it is an error. */
const LIMIT_MS = 60_000;
/** The most bytes of a JSON record, whose text is the matching lines. */
const MAX_RECORD = 64 * 1024 * 1024;
/** Where the second match of a record begins. Inside a text of the record, the quotes would be escaped. */
const SECOND_MATCH = Buffer.from('},{"match":');
/** The closing brackets of a record of which only the part before its second match is kept. */
const REST = Buffer.from("}]}}");

export interface Search {
  /** The base of relative names and globs. */
  cwd: string;
  /** Runs ripgrep there. */
  run: FileSearch["run"];
  signal?: AbortSignal | undefined;
}

/** Ignores user configuration, and respects ignore files outside of git repositories too. */
const ALWAYS = ["--no-config", "--no-require-git", "--no-messages", "--color=never"];

/** Returns all of ripgrep's output. Throws SEARCH_PATTERN for a bad expression or glob, otherwise SEARCH_FAILED. */
export async function ripgrep(args: readonly string[], search: Search): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await run(args, search, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Passes each record of ripgrep's JSON output to `take`, with at most the first of its matches. */
export async function ripgrepJson(
  args: readonly string[],
  search: Search,
  take: (record: unknown) => void,
): Promise<void> {
  await run(
    ["--json", ...args],
    search,
    byLine((line) => take(JSON.parse(line))),
  );
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

async function run(args: readonly string[], search: Search, onOutput: (chunk: Uint8Array) => void): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const failed = new AbortController();
  const signal = AbortSignal.any([...(search.signal ? [search.signal] : []), limit, failed.signal]);
  // An error must end the search: thrown into the stream that the output comes from, it would end the process.
  const taken = (chunk: Uint8Array) => {
    try {
      if (!failed.signal.aborted) onOutput(chunk);
    } catch (thrown) {
      failed.abort(thrown);
    }
  };
  try {
    const end = await search.run([...ALWAYS, ...args], { signal, onOutput: taken });
    failed.signal.throwIfAborted();
    judge(end);
  } catch (thrown) {
    search.signal?.throwIfAborted();
    const late = `it took longer than ${LIMIT_MS / 1000} s. Narrow the path or the glob.`;
    if (["SEARCH_PATTERN", "SEARCH_COPY"].includes(codeOf(thrown))) throw thrown;
    const cause = failed.signal.aborted ? failed.signal.reason : thrown;
    throw errors.SEARCH_FAILED({ reason: limit.aborted ? late : messageOf(cause) }, { cause });
  }
}

/** Exit code 0: found; 1: nothing found; 2: an error in the request, or, without output, in reading some file. */
function judge(end: SearchEnd): void {
  const { exitCode, stderr } = end;
  const fault = ripgrepFault(end);
  if (fault !== undefined) throw new Error(fault);
  if (exitCode === 2 && stderr.trim() !== "") throw errors.SEARCH_PATTERN({ reason: stderr.trim() });
}

/** Passes on whole lines. Only a line feed ends a record; other separators may occur inside one. */
function byLine(take: (line: string) => void): (chunk: Uint8Array) => void {
  let record = new JsonRecord();
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      record.add(chunk.subarray(start, end));
      take(record.text());
      record = new JsonRecord();
      start = end + 1;
    }
    record.add(chunk.subarray(start));
  };
}

/** A record that arrives in parts. A line of a megabyte can have a million matches, so all but the first are left out. */
class JsonRecord {
  private readonly parts: Uint8Array[] = [];
  private size = 0;
  private isCut = false;
  /** The end of what was added, in which the second match may begin. */
  private end: Uint8Array = new Uint8Array();

  add(part: Uint8Array): void {
    if (this.isCut || part.length === 0) return;
    const seen = Buffer.concat([this.end, part]);
    const at = seen.indexOf(SECOND_MATCH);
    this.isCut = at >= 0;
    this.parts.push(part);
    this.size += this.isCut ? at - this.end.length : part.length;
    if (this.size > MAX_RECORD)
      throw new Error(`a match is longer than ${MAX_RECORD / 2 ** 20} MiB. Narrow the path or the glob.`);
    this.end = seen.subarray(Math.max(0, seen.length - SECOND_MATCH.length + 1));
  }

  text(): string {
    const all = Buffer.concat(this.parts).subarray(0, this.size);
    return `${all}${this.isCut ? REST : ""}`;
  }
}
