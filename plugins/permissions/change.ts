import { readFile, stat } from "node:fs/promises";
import { relative } from "node:path";
import { codeOf, type DisplayAction } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import { unifiedDiff } from "@scorel/kit/text/diff";
import { visiblePath, visibleText } from "@scorel/kit/text/plain";
import type { FileContent } from "@scorel/local/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { ExecutorFiles } from "./files/executor.ts";

const MAX_BYTES = 1_048_576;
/** At the end of a line, up to this many blanks are written out; of more blanks, the number is shown. */
const MOST_BLANKS = 8;

/** What a person sees before approving a call: a diff for a call that edits a file, otherwise the arguments. */
export async function changeOf(
  tool: string,
  args: unknown,
  workspace: Workspace,
  files?: ExecutorFiles,
): Promise<DisplayAction> {
  const { file_path, content, old_string, new_string, replace_all } = (args ?? {}) as Record<string, unknown>;
  const text = visibleText(JSON.stringify(args, null, 2) ?? "");
  const isChange = typeof content === "string" || typeof new_string === "string";
  if (typeof file_path !== "string" || !isChange) return { display: "fold", title: tool, text };
  const path = typedPath(file_path, workspace.cwd);
  const before = await contentOf(path, files);
  if (before === undefined) return { display: "fold", title: `${tool} ${visiblePath(path)}`, text };
  const shown = visiblePath(relative(workspace.cwd, path));
  const given = typeof content === "string" ? content : `${old_string}${new_string}`;
  // Edit and Write keep CRLF line endings by themselves, so the diff leaves them out. It shows all other carriage
  // returns.
  const now = hasOnlyCrlf(before) && !given.includes("\r") ? before.replaceAll("\r\n", "\n") : before;
  const after =
    typeof content === "string" ? content : replaced(now, String(old_string), String(new_string), replace_all === true);
  const diff = unifiedDiff(shown, visibleText(now), visibleText(after), { whole: true });
  return diff === ""
    ? { display: "fold", title: `${tool} ${shown}`, text }
    : { display: "diff", path: shown, text: visibleEnds(diff) };
}

/** The arguments of an edit that its diff does not show. */
export function argumentsBesidesDiff(args: unknown): object {
  const { file_path, content, old_string, new_string, replace_all, ...others } = args as Record<string, unknown>;
  return others;
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r") && !/\r(?!\n)|(?<!\r)\n/.test(text);
}

/** Writes out blanks at the ends of changed lines: lines that differ only in these blanks would look the same. */
function visibleEnds(diff: string): string {
  const [from = "", to = "", ...lines] = diff.split("\n");
  return [from, to, ...lines.map((line) => (/^[-+]/.test(line) ? visibleEnd(line) : line))].join("\n");
}

function visibleEnd(line: string): string {
  const text = line.trimEnd();
  const blanks = line.slice(text.length);
  const written = blanks.replaceAll(" ", "\\u{20}").replaceAll("\t", "\\u{9}");
  return text + (blanks.length > MOST_BLANKS ? `\\u{20}… (${blanks.length} blanks)` : written);
}

/** Returns "" for a file that does not exist yet, and undefined for one that is too large or unreadable. */
async function contentOf(path: string, files: ExecutorFiles | undefined): Promise<string | undefined> {
  try {
    if (files) return decoded(await files.read(await files.realpath(path), { maxBytes: MAX_BYTES }));
    const { size } = await stat(path);
    return size > MAX_BYTES ? undefined : await readFile(path, "utf8");
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? "" : undefined;
  }
}

function decoded({ bytes }: FileContent): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function replaced(text: string, from: string, to: string, all: boolean): string {
  if (from === "") return text;
  return all ? text.split(from).join(to) : text.replace(from, () => to);
}
