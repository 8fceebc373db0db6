import { type Block, blocksOf, type Count } from "./grep-blocks.ts";
import type { GrepParams } from "./grep-params.ts";
import { fitting, type Page, pageHeader, pageOf } from "./page.ts";
import { byName, nameOf, ripgrep } from "./ripgrep.ts";
import { filesOf, globOption, hiddenOptions, type SearchPlace } from "./search-place.ts";

const DEFAULT_LIMIT = 100;

interface Found {
  text: string;
  details: Record<string, unknown>;
}

/** One page of results, as text for the model and as details. */
export async function searchContents(params: GrepParams, place: SearchPlace, budget: number): Promise<Found> {
  const { mode = "content", offset = 0, limit = DEFAULT_LIMIT } = params;
  const counts = await countsOf(params, place);
  if (mode === "content") return contentOf(params, place, counts, budget);
  const lineOf = ({ name, count }: Count) => (mode === "files" ? place.shown(name) : `${place.shown(name)}:${count}`);
  const page = fitting(pageOf(counts, offset, limit), budget, lineOf);
  const files = page.items.map(({ name, count }) => ({ path: place.shown(name), ...(mode === "count" && { count }) }));
  return {
    text: [pageHeader(page, "file"), ...page.items.map(lineOf)].join("\n"),
    details: { mode, files, ...numbers(page) },
  };
}

async function contentOf(
  params: GrepParams,
  place: SearchPlace,
  counts: readonly Count[],
  budget: number,
): Promise<Found> {
  const { offset = 0, limit = DEFAULT_LIMIT } = params;
  const page = await blockPage(params, place, counts, offset, limit);
  const fits = fitting(page, budget, ({ lines }) => lines.join("\n"));
  const matches = fits.items.map(({ name, line }) => ({ path: place.shown(name), line }));
  const shown = fits.items.map((block) => shortened(block, budget));
  const text = [pageHeader(fits, "match"), ...listed(shown, place, params.context ?? 0)].join("\n");
  return { text, details: { mode: "content", matches, files: counts.length, ...numbers(fits) } };
}

/** A block with the lines that fit a budget in bytes, since a match can have as many lines as its file. */
function shortened(block: Block, budget: number): Block {
  const { lines } = block;
  const { items, next } = fitting({ items: lines, offset: 0, total: lines.length }, budget, (line) => line);
  if (next === undefined) return block;
  const rest = `… ${lines.length - next} more lines; Read continues from offset ${Number.parseInt(lines[next] ?? "", 10)}`;
  return { ...block, lines: [...items, rest] };
}

/** A page of matches; only the files on the page are searched again. */
async function blockPage(
  params: GrepParams,
  place: SearchPlace,
  counts: readonly Count[],
  offset: number,
  limit: number,
): Promise<Page<Block>> {
  // With multiline, ripgrep joins neighbouring matches, so its counts do not show where a page starts.
  if (params.multiline) return pageOf(await blocksOf(counts, params, expressionOf(params), place), offset, limit);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const { files, skip } = filesFor(counts, offset, limit);
  const blocks = files.length > 0 ? await blocksOf(files, params, expressionOf(params), place, skip + limit) : [];
  const items = blocks.slice(skip, skip + limit);
  const end = offset + items.length;
  return { items, offset, total, ...(end < total && items.length > 0 && { next: end }) };
}

/** The files with matches `offset` to `offset + limit`, and how many matches of the first file to skip. */
function filesFor(counts: readonly Count[], offset: number, limit: number): { files: Count[]; skip: number } {
  const files: Count[] = [];
  let skip = 0;
  let seen = 0;
  for (const file of counts) {
    if (seen < offset + limit && seen + file.count > offset) {
      if (files.length === 0) skip = offset - seen;
      files.push(file);
    }
    seen += file.count;
  }
  return { files, skip };
}

/** The number of matching lines per file, sorted by name. */
async function countsOf(params: GrepParams, place: SearchPlace): Promise<Count[]> {
  const hidden = hiddenOptions(params.hidden, params.glob);
  const globs = params.glob === undefined ? [] : [globOption(params.glob, place)];
  const args = [
    "--count",
    "--null",
    "--with-filename",
    ...hidden,
    ...globs,
    ...expressionOf(params),
    "--",
    place.target,
  ];
  const [output, allowed] = await Promise.all([
    ripgrep(args, place),
    params.glob === undefined || place.file !== undefined ? undefined : filesOf(place, hidden, params.glob),
  ]);
  const kept = allowed && new Set(allowed);
  return parseCounts(output, place).filter(({ name }) => (kept?.has(name) ?? true) && !place.hides(name));
}

function parseCounts(output: Buffer, { file }: SearchPlace): Count[] {
  const counts: Count[] = [];
  for (let start = 0; start < output.length; ) {
    const nul = output.indexOf(0, start);
    const end = output.indexOf(10, nul);
    const name = file ?? nameOf(output.subarray(start, nul));
    counts.push({ name, count: Number(output.toString("latin1", nul + 1, end)) });
    start = end + 1;
  }
  return counts.sort((a, b) => byName(a.name, b.name));
}

/** `-e` allows patterns that start with a dash. */
function expressionOf({ pattern, ignore_case, multiline }: GrepParams): string[] {
  const options = [
    ...(ignore_case ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
  ];
  return ["--engine=auto", "--crlf", ...options, "-e", pattern];
}

/** Lists the matches below their file names. */
function listed(blocks: readonly Block[], place: SearchPlace, context: number): string[] {
  let name: string | undefined;
  return blocks.flatMap((block) => {
    const isNew = block.name !== name;
    name = block.name;
    const apart = context > 0 && !block.joins ? ["--"] : [];
    return [...(isNew ? [place.shown(block.name)] : apart), ...block.lines];
  });
}

function numbers({ offset, total, next }: Page<unknown>): Record<string, unknown> {
  return { offset, total, ...(next !== undefined && { nextOffset: next }) };
}
