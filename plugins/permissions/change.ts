import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { codeOf, type DisplayAction } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";
import type { FileContent } from "@scorel/local/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { ExecutorFiles } from "./files/executor.ts";

const MAX_BYTES = 1_048_576;
const AROUND = 3;

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
  const path = file_path.startsWith("~/") ? join(homedir(), file_path.slice(2)) : resolve(workspace.cwd, file_path);
  const before = await contentOf(path, files);
  if (before === undefined) return { display: "fold", title: `${tool} ${visibleText(path)}`, text };
  const shown = visibleText(relative(workspace.cwd, path));
  const after =
    typeof content === "string"
      ? content
      : replaced(before, String(old_string), String(new_string), replace_all === true);
  return { display: "diff", path: shown, text: diffOf(shown, linesOf(before), linesOf(after)) };
}

function linesOf(text: string): string[] {
  return visibleText(text.replaceAll("\r\n", "\n")).split("\n");
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

/** Formats a single hunk that spans from the first to the last line that differs. */
function diffOf(path: string, before: readonly string[], after: readonly string[]): string {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const from = Math.max(0, start - AROUND);
  const until = Math.min(end, AROUND);
  const lines = [
    ...before.slice(from, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...before.slice(before.length - end, before.length - end + until).map((line) => ` ${line}`),
  ];
  return [`--- ${path}`, `+++ ${path}`, `@@ line ${from + 1} @@`, ...lines].join("\n");
}
