import { titled } from "@scorel/kit/text/call-title";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import type { ByteRange, FileDetails } from "../contract.ts";
import { brief, card, diffOf } from "../display.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { requireWritable } from "../guard/control-paths.ts";
import { answer, answering } from "../result.ts";
import { afterReplacing, uncovered } from "./coverage.ts";
import { createFinder, type Finder, unwritable, withoutOverlaps } from "./matches.ts";
import { locate, type Place } from "./paths.ts";
import { saveFile } from "./save.ts";
import { asText, lineAt, loadFile, type TextFile, versionOf } from "./text-file.ts";
import type { Spans } from "./uncut.ts";
import { describeUnread } from "./unread.ts";

/** The most places that an edit may replace. */
const MOST_PLACES = 100_000;
/** The most places that a message names by their lines. */
const SHOWN = 10;

const parameters = z.object({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
type Params = z.output<typeof parameters>;

/** The tool Edit, which replaces one occurrence of a text, or all of them. */
export function createEdit(env: Environment): Tool<Params> {
  return {
    name: "Edit",
    description:
      "Replace old_string (exact, unique unless replace_all; without line numbers) in a file whose lines you have read.",
    parameters,
    access: async ({ file_path }) => ({ writes: [(await locate(file_path, env)).path] }),
    execute: (id, params, signal) => answering(signal, () => edit(params, env, id)),
    display: (params, result) =>
      card(titled("Edit", params.file_path), result, brief(result), diffOf(params.file_path, result)),
  };
}

async function edit(params: Params, env: Environment, id: string): Promise<ToolOutput> {
  refuseEmpty(params);
  const place = await locate(params.file_path, env);
  await requireWritable(place, env, id);
  const { places, finder, ranges, file } = await prepareEdit(params, place, env);
  return replace(places, finder, params.new_string, ranges, place, file, env);
}

function refuseEmpty({ old_string, new_string }: Params): void {
  if (old_string === "") throw errors.EDIT_EMPTY();
  if (old_string === new_string) throw errors.EDIT_IDENTICAL();
}

/** Finds what an edit replaces. Throws if it cannot be made. */
export async function prepareEdit(params: Params, place: Place, env: Environment) {
  refuseEmpty(params);
  const file = asText(await loadFile(place, env), place);
  const ranges = seenOf(place, file, env);
  const finder = createFinder(file);
  const places = choose(finder, params, place, file);
  requireRead(places, ranges, place, file);
  requireShown(places, place, env.secretsIn(file.bytes));
  return { places, finder, ranges, file };
}

/** The ranges read of the current version. Throws if an older version was read. */
function seenOf(place: Place, file: TextFile, env: Environment): readonly ByteRange[] {
  const seen = env.coverage(place.path);
  if (seen && seen.version !== file.version) throw errors.FILE_STALE({ path: place.shown });
  return seen?.ranges ?? [];
}

function choose(
  finder: Finder,
  { old_string, new_string, replace_all }: Params,
  place: Place,
  file: TextFile,
): ByteRange[] {
  const places = finder.first(MOST_PLACES + 1, old_string);
  if (places.length === 0) throw errors.EDIT_NOT_FOUND({ path: place.shown, hint: hintFor(finder, old_string, file) });
  const isMany = places.length > MOST_PLACES;
  if (isMany && replace_all) throw errors.EDIT_MANY({ path: place.shown, most: MOST_PLACES });
  if (places.length > 1 && !replace_all) {
    const count = isMany ? `over ${MOST_PLACES}` : String(places.length);
    throw errors.EDIT_AMBIGUOUS({ path: place.shown, count, lines: linesOf(places, file) });
  }
  const character = unwritable(new_string, file.encoding);
  if (character) throw errors.EDIT_ENCODING({ path: place.shown, character });
  return withoutOverlaps(places);
}

function requireRead(places: readonly ByteRange[], ranges: readonly ByteRange[], place: Place, file: TextFile): void {
  for (const wanted of places) {
    const gap = uncovered(ranges, wanted);
    if (gap) throw errors.EDIT_UNREAD({ path: place.shown, ...describeUnread(file.bytes, gap) });
  }
}

/**
 * Throws EDIT_SECRET if a replacement touches a secret: the model saw [redacted], and changing a part would reveal the rest.
 */
function requireShown(places: readonly ByteRange[], place: Place, secrets: Spans): void {
  if (places.some(([from, to]) => secrets.some(([start, end]) => start < to && end > from)))
    throw errors.EDIT_SECRET({ path: place.shown });
}

async function replace(
  places: readonly ByteRange[],
  finder: Finder,
  newString: string,
  ranges: readonly ByteRange[],
  place: Place,
  file: TextFile,
  env: Environment,
): Promise<ToolOutput> {
  const texts = places.map((at) => finder.written(newString, at));
  const bytes = splice(file.bytes, places, texts);
  await saveFile(place, bytes, env, false);
  const replacements = places.map(([from, to], index) => ({ from, to, length: texts[index]?.length ?? 0 }));
  const coverage = { version: versionOf(bytes), ranges: afterReplacing(ranges, replacements) };
  const { unifiedDiff } = await import("@scorel/kit/text/diff");
  const decode = (part: Buffer) => env.redact(part.toString(file.encoding));
  const details: { file: FileDetails; diff: string; replacements: number } = {
    file: { path: place.path, ...coverage },
    diff: unifiedDiff(place.shown, decode(file.bytes), decode(bytes)),
    replacements: places.length,
  };
  const count = places.length === 1 ? "1 replacement, line" : `${places.length} replacements, lines`;
  return answer(`Edited ${place.shown}: ${count} ${linesOf(places, file)}.`, details);
}

function splice(bytes: Buffer, places: readonly ByteRange[], texts: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let kept = 0;
  for (const [index, [from, to]] of places.entries()) {
    parts.push(bytes.subarray(kept, from), texts[index] as Buffer);
    kept = to;
  }
  return Buffer.concat([...parts, bytes.subarray(kept)]);
}

function linesOf(places: readonly ByteRange[], file: TextFile): string {
  const shown = places.slice(0, SHOWN).map(([from]) => lineAt(file.bytes, from));
  return [...new Set(shown)].join(", ") + (places.length > SHOWN ? " …" : "");
}

/** A hint if only the first line of the text occurs, ignoring blanks. */
function hintFor(finder: Finder, text: string, file: TextFile): string {
  const line =
    text
      .split("\n")
      .find((part) => part.trim() !== "")
      ?.trim() ?? "";
  const near = line === "" ? [] : finder.first(SHOWN + 1, line);
  if (near.length === 0) return "Read the part to change again and copy it exactly.";
  return `Its line ${JSON.stringify(line.slice(0, 80))} is on line ${linesOf(near, file)}; blanks or what follows differ. Read it again and copy it exactly.`;
}
