import { titled } from "@scorel/kit/text/call-title";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import type { FileDetails } from "../contract.ts";
import { brief, card, diffOf } from "../display.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { requireWritable } from "../guard/control-paths.ts";
import { answer, answering } from "../result.ts";
import { uncovered } from "./coverage.ts";
import { unwritable } from "./matches.ts";
import { locate, type Place } from "./paths.ts";
import { saveFile } from "./save.ts";
import { asText, countBreaks, countLines, loadIfExists, type TextFile, versionOf } from "./text-file.ts";
import { describeUnread } from "./unread.ts";

const parameters = z.object({ file_path: z.string(), content: z.string() });
type Params = z.output<typeof parameters>;

/** The tool Write, which creates a file, or replaces one that was read completely. */
export function createWrite(env: Environment): Tool<Params> {
  return {
    name: "Write",
    description: "Create a file, or replace one you have read whole.",
    parameters,
    access: async ({ file_path }) => ({ writes: [(await locate(file_path, env)).path] }),
    execute: (id, params, signal) => answering(signal, () => write(params, env, id)),
    display: (params, result) =>
      card(titled("Write", params.file_path), result, brief(result), diffOf(params.file_path, result)),
  };
}

async function write({ file_path, content }: Params, env: Environment, id: string): Promise<ToolOutput> {
  const place = await locate(file_path, env);
  await requireWritable(place, env, id);
  const before = await replacedBy(place, env);
  const bytes = before ? inStyleOf(before, content) : Buffer.from(content);
  await saveFile(place, bytes, env, !before);
  const { unifiedDiff } = await import("@scorel/kit/text/diff");
  const details: { file: FileDetails; diff: string; created: boolean } = {
    file: { path: place.path, version: versionOf(bytes), ranges: bytes.length > 0 ? [[0, bytes.length]] : [] },
    // Redacted before the diff cuts long lines, which could split a secret.
    diff: unifiedDiff(
      place.shown,
      env.redact(before?.bytes.toString(before.encoding) ?? ""),
      env.redact(bytes.toString(before?.encoding)),
    ),
    created: !before,
  };
  return answer(
    `${before ? "Replaced" : "Created"} ${place.shown}: ${counted(countLines(bytes), "line")}, ${counted(bytes.length, "byte")}.`,
    details,
  );
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;

/** The file that would be replaced, if there is one. Throws if it must not be. */
export async function replacedBy(place: Place, env: Environment): Promise<TextFile | undefined> {
  const loaded = await loadIfExists(place, env);
  const before = loaded && asText(loaded, place);
  if (before) requireWhole(place, before, env);
  return before;
}

function requireWhole(place: Place, file: TextFile, env: Environment): void {
  const seen = env.coverage(place.path);
  if (seen && seen.version !== file.version) throw errors.FILE_STALE({ path: place.shown });
  const gap = uncovered(seen?.ranges ?? [], [0, file.bytes.length]);
  if (gap) throw errors.WRITE_UNREAD({ path: place.shown, ...describeUnread(file.bytes, gap) });
  if (env.hidesSecret(file.bytes.toString(file.encoding))) throw errors.WRITE_SECRET({ path: place.shown });
}

/** Preserves what the model does not see: the byte order mark, consistent CRLFs, and Latin-1 if it suffices. */
function inStyleOf(before: TextFile, content: string): Buffer {
  const onlyCrlf =
    before.crlf && before.bytes.toString("latin1").split("\r\n").length - 1 === countBreaks(before.bytes);
  const text = onlyCrlf && !content.includes("\r") ? content.replaceAll("\n", "\r\n") : content;
  const encoding = before.encoding === "latin1" && unwritable(text, "latin1") === undefined ? "latin1" : "utf8";
  const mark = before.bom > 0 && !text.startsWith("\ufeff") ? "\ufeff" : "";
  return Buffer.from(mark + text, encoding);
}
