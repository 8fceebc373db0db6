import { mayBeEncoded } from "@scorel/kit/files/names";
import { encodingOf } from "@scorel/kit/text/decoded";
import { type Spans, sliceRedacted } from "../files/uncut.ts";
import type { GrepParams } from "./grep-params.ts";
import { nameOf, ripgrepJson } from "./ripgrep.ts";
import type { SearchPlace } from "./search-place.ts";

/** The most bytes shown of a line. */
const MAX_COLUMNS = 400;
/** The most characters of file names as arguments. Systems allow a program at least 128 KiB of arguments and variables. */
const MAX_NAMES = 64_000;

/** The most characters of all matches with their context. A pattern over several lines can match whole files, and so a whole project. */
const MAX_MATCHED = 32 * 2 ** 20;

/** A file with its number of matches. */
export interface Count {
  name: string;
  count: number;
}
/** A match with the lines around it. */
export interface Block {
  name: string;
  line: number;
  lines: string[];
  /** Whether its first line follows the last line of the previous block. */
  joins: boolean;
}

/** The parts of ripgrep's JSON records that are used. */
interface Bytes {
  text?: string;
  bytes?: string;
}
interface Row {
  type: "match" | "context";
  data: { path: Bytes; lines: Bytes; line_number: number | null; submatches: { start: number }[] };
}

/** The first `most` matches of each file, sorted by name and line. */
export async function blocksOf(
  files: readonly Count[],
  { context = 0 }: GrepParams,
  expression: readonly string[],
  place: SearchPlace,
  most?: number,
): Promise<Block[]> {
  const rows = new Map<string, Row[]>(files.map(({ name }) => [name, []]));
  const limit = most === undefined ? [] : [`--max-count=${most}`];
  const args = [...limit, `--context=${context}`, ...expression, ...targetsOf(files, place)];
  let size = 0;
  await ripgrepJson(args, place, (record) => {
    const row = record as Row;
    if (row.type !== "match" && row.type !== "context") return;
    const { text, bytes = "" } = row.data.lines;
    size += (text ?? bytes).length;
    if (size > MAX_MATCHED)
      throw new Error(
        `the matches have more than ${MAX_MATCHED / 2 ** 20} MiB. Narrow the path, the glob or the pattern.`,
      );
    rows.get(place.file ?? nameOf(bytesOf(row.data.path)))?.push(row);
  });
  return [...rows].flatMap(([name, found]) => grouped(name, found, context, place));
}

/**
 * The arguments that select files. A name that is not UTF-8 cannot be an argument, and neither can the names of thousands of files; then
 * everything is searched and filtered.
 */
function targetsOf(files: readonly Count[], place: SearchPlace): string[] {
  if (place.file !== undefined) return ["--", place.target];
  const size = files.reduce((sum, { name }) => sum + name.length + 1, 0);
  if (size > MAX_NAMES || files.some(({ name }) => mayBeEncoded(name))) return ["--hidden", "--", place.target];
  return ["--", ...files.map(({ name }) => `./${name}`)];
}

/** Groups lines into blocks: context after a match belongs to it as far as it reaches, and the rest to the next match. */
function grouped(
  name: string,
  rows: readonly Row[],
  context: number,
  { secretsIn }: Pick<SearchPlace, "secretsIn">,
): Block[] {
  const shown = (row: Row) => linesOf(row, secretsIn);
  const blocks: Block[] = [];
  let waiting: Row[] = [];
  let reach = -1;
  let end = -1;
  for (const row of rows) {
    const line = row.data.line_number ?? 0;
    const last = line + textLines(row).length - 1;
    const before = waiting[0]?.data.line_number ?? line;
    if (row.type === "match") {
      blocks.push({ name, line, lines: [...waiting, row].flatMap(shown), joins: before === end + 1 });
      waiting = [];
      reach = last + context;
    } else if (line <= reach) blocks.at(-1)?.lines.push(...shown(row));
    else waiting.push(row);
    if (waiting.length === 0) end = last;
  }
  return blocks;
}

function linesOf(row: Row, secretsIn: SearchPlace["secretsIn"]): string[] {
  const first = row.data.line_number ?? 0;
  const sign = row.type === "match" ? ":" : "-";
  const column = row.data.submatches[0]?.start ?? 0;
  return textLines(row).map((text, index) =>
    clipped(text, secretsIn(text), index === 0 ? column : 0, first + index, sign),
  );
}

/** Shows a long line around its match, with the position at which Read can continue. */
function clipped(line: Buffer, secrets: Spans, column: number, number: number, sign: string): string {
  const encoding = encodingOf(line);
  const shown = (from: number, to: number) => sliceRedacted(line, secrets, from, to).toString(encoding);
  if (line.length <= MAX_COLUMNS) return `${number}${sign}${shown(0, line.length)}`;
  let from = column > MAX_COLUMNS / 2 ? column - MAX_COLUMNS / 4 : 0;
  while (encoding === "utf8" && from > 0 && ((line[from] as number) & 0xc0) === 0x80) from--;
  const part = shown(from, from + MAX_COLUMNS).replace(/\ufffd+$/, "");
  const ends = from + MAX_COLUMNS >= line.length;
  return `${number}${from > 0 ? `@${from}` : ""}${sign}${part}${ends ? "" : `… (${line.length} bytes)`}`;
}

function textLines(row: Row): Buffer[] {
  const bytes = bytesOf(row.data.lines);
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(10, start);
    const end = at < 0 ? bytes.length : at;
    lines.push(bytes.subarray(start, end > start && bytes[end - 1] === 13 ? end - 1 : end));
    start = end + 1;
  }
  return lines.length > 0 ? lines : [Buffer.alloc(0)];
}

function bytesOf({ text, bytes }: Bytes): Buffer {
  return text === undefined ? Buffer.from(bytes ?? "", "base64") : Buffer.from(text);
}
