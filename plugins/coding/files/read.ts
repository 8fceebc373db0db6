import { isAbsolute, resolve } from "node:path";
import { imageType } from "@scorel/kit/files/image-type";
import { titled } from "@scorel/kit/text/call-title";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import { BYTES_PER_TOKEN, readBudget } from "../budget.ts";
import type { FileDetails } from "../contract.ts";
import { brief, card, textOf } from "../display.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { refuseKeyStore } from "../guard/key-store.ts";
import { answer, answering } from "../result.ts";
import { joined } from "./coverage.ts";
import { IMAGE_BYTES, showImage } from "./image.ts";
import { locate, type Place, readsOf } from "./paths.ts";
import { type Offset, type Selection, select } from "./selection.ts";
import { asText, loadFile, type TextFile } from "./text-file.ts";
import { type Spans, sliceRedacted } from "./uncut.ts";

const MAX_LINES = 2_000;
/** Bytes reserved for the header line. */
const HEADER = 160;

const parameters = z.object({
  file_path: z.string(),
  offset: z
    .union([z.int().min(1), z.string().regex(/^\d+(:\d+)?$/)])
    .optional()
    .describe("first line, or LINE:BYTE"),
  limit: z.int().min(1).max(MAX_LINES).optional().describe("default 2000"),
  full: z.boolean().optional().describe("show more at once"),
});
type Params = z.output<typeof parameters>;

/** The tool Read, which shows a text file with line numbers, or an image. */
export function createRead(env: Environment): Tool<Params> {
  return {
    name: "Read",
    description:
      "Read a text file as numbered lines, or an image. A long file is cut: continue from the offset it names.",
    parameters,
    prepareArguments: withOwnNames,
    access: () => "read",
    reads: async ({ file_path }) => readsOf(await fileOf(file_path, env), env),
    execute: (id, params, signal) => answering(signal, () => read(id, params, env, signal)),
    display: (params, result) => card(titled("Read", placeOf(params)), result, brief(result)),
  };
}

/** The text after the name of the tool in the title of a call: the file, and the first line if it is not 1. */
function placeOf({ file_path, offset }: Params): string | undefined {
  return file_path && offset ? `${file_path}:${offset}` : file_path;
}

/** Resolves what the model named: a path, a reference, or a workspace name that programs of skills use. */
async function fileOf(named: string, env: Environment): Promise<string> {
  const refs = env.refs();
  if (!refs) return named;
  if (/^(workspace|artifact):\/\//.test(named)) return refs.resolve(named);
  const exists = async (name: string) => (await env.files.stat(resolve(env.workspace.cwd, name))) !== undefined;
  if (isAbsolute(named) || named.startsWith("~") || (await exists(named))) return named;
  const aliased = named.replace(/^inputs\//, "");
  if (aliased !== named && !(await exists("inputs")) && (await exists(aliased))) return aliased;
  return refs.find(named) ?? named;
}

async function read(id: string, params: Params, env: Environment, signal?: AbortSignal): Promise<ToolOutput> {
  const place = await locate(await fileOf(params.file_path, env), env);
  const loaded = await loadFile(place, env, { approved: env.approvedReads(id), signal });
  await refuseKeyStore(place, loaded, env);
  const mimeType = imageType(loaded.bytes);
  if (mimeType) {
    env.claim(id, IMAGE_BYTES);
    return showImage(place, loaded.bytes, mimeType, env, signal);
  }
  const file = asText(loaded, place);
  const budget = readBudget(env.context(), params.full ?? false) * BYTES_PER_TOKEN - HEADER;
  if (budget <= 0) throw errors.FILE_NO_ROOM({ path: place.shown });
  const selection = select(file, offsetOf(params.offset), params.limit ?? MAX_LINES, budget);
  if (!selection) return nothing(place, file, params.offset, env);
  const result = shown(place, file, selection, env);
  env.claim(id, Buffer.byteLength(textOf(result)));
  return result;
}

/** Accepts parameter names from skills that were written for other agents. */
function withOwnNames(raw: unknown): unknown {
  const { file_name, start_line, num_lines, ...rest } = (raw ?? {}) as Record<string, unknown>;
  return {
    ...(file_name !== undefined && { file_path: file_name }),
    ...(start_line !== undefined && { offset: start_line }),
    ...(num_lines !== undefined && { limit: num_lines }),
    ...rest,
  };
}

function offsetOf(given: number | string = 1): Offset {
  const [line = 1, byte = 0] = String(given).split(":").map(Number);
  return { line: Math.max(line, 1), byte };
}

function shown(place: Place, file: TextFile, selection: Selection, env: Environment): ToolOutput {
  const text = `${header(file, selection)}\n${body(file, selection, env.secretsIn(file.bytes))}`;
  const { first: start, last: end, total, next, part } = selection;
  const lines = { start, end, total, ...(part && { bytes: part }) };
  const coverage = { version: file.version, ranges: [selection.range] };
  const details: FileDetails = { path: place.path, ...joined(env.coverage(place.path), coverage) };
  return answer(text, {
    file: details,
    lines,
    truncated: next !== undefined,
    ...(next && { nextOffset: spelled(next) }),
  });
}

/** An empty file counts as read completely; an offset after the end is an error. */
function nothing(place: Place, file: TextFile, offset: number | string | undefined, env: Environment): ToolOutput {
  if (file.bytes.length > 0) {
    const total = select(file, { line: 1, byte: 0 }, 1, Infinity)?.total ?? 0;
    throw errors.FILE_OFFSET({ path: place.shown, offset: String(offset), total });
  }
  const details: FileDetails = {
    path: place.path,
    ...joined(env.coverage(place.path), { version: file.version, ranges: [] }),
  };
  return answer("[empty file, 0 lines]", { file: details, lines: { start: 0, end: 0, total: 0 }, truncated: false });
}

function header(file: TextFile, { first, last, total, part, next, range }: Selection): string {
  const where = part
    ? `line ${first} of ${total}, bytes ${part.from}-${part.to} of ${part.of}`
    : `lines ${first}-${last} of ${total}`;
  const notes = [
    ...(file.encoding === "latin1" ? ["Latin-1"] : []),
    ...(file.crlf ? ["CRLF"] : []),
    ...(range[1] === file.bytes.length && file.bytes.at(-1) !== 10 ? ["no line break at the end"] : []),
    ...(next ? [`truncated, next offset ${spelled(next)}`] : []),
  ];
  return `[${[where, ...notes].join("; ")}]`;
}

function spelled({ line, byte }: Offset): string | number {
  return byte > 0 ? `${line}:${byte}` : line;
}

function body(file: TextFile, { range, first, part }: Selection, secrets: Spans): string {
  const from = range[0] === 0 ? file.bom : range[0];
  const text = sliceRedacted(file.bytes, secrets, from, range[1]).toString(file.encoding);
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const label = (index: number) => (part ? `${first}@${part.from}` : `${first + index}`);
  return lines.map((line, index) => `${label(index)}\t${line}`).join("\n");
}
