import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import type { ToolResultMessage } from "@scorel/messages/contract";
import { cleanText, codeBlock, textPart } from "./clean.ts";
import { absolute, diffPart, partsOf } from "./diffs.ts";

type Args = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, ToolKind | undefined>> = {
  Read: "read",
  Edit: "edit",
  Write: "edit",
  Bash: "execute",
  Glob: "search",
  Grep: "search",
  WebFetch: "fetch",
};

const MAX_TITLE = 200;

/** The kind of a tool, by which editors choose an icon. */
export function kindOf(tool: string): ToolKind {
  return (Object.hasOwn(KINDS, tool) ? KINDS[tool] : undefined) ?? "other";
}

/** Describes a call in one line: the tool and its most important argument. */
export function titleOf(tool: string, args: unknown): string {
  const { command, file_path, pattern, path, description, url } = argsOf(args);
  if (tool === "Bash" && typeof command === "string") return shortened(`$ ${lineOf(command)}`);
  const [about] = [command, file_path, pattern, path, description, url].filter((each) => typeof each === "string");
  return shortened(lineOf(about === undefined ? tool : `${tool} ${about}`));
}

export function shortened(title: string): string {
  return title.length > MAX_TITLE ? `${beginningOf(title, MAX_TITLE - 1)}…` : title;
}

/** The files that a call is about. */
export function locationsOf(args: unknown, cwd: string): ToolCallLocation[] {
  const { file_path, path, offset } = argsOf(args);
  const named = typeof file_path === "string" ? file_path : path;
  if (typeof named !== "string" || named === "") return [];
  const line = typeof offset === "number" && Number.isInteger(offset) && offset > 0 ? { line: offset } : {};
  return [{ path: absolute(named, cwd), ...line }];
}

/** Content to show before the call has run. */
export function contentBefore(tool: string, args: unknown, cwd: string): ToolCallContent[] {
  const { file_path, old_string: oldText, new_string: newText } = argsOf(args);
  const isEdit = tool === "Edit" && typeof file_path === "string";
  if (!isEdit || typeof oldText !== "string" || typeof newText !== "string") return [];
  return [diffPart(absolute(file_path, cwd), { oldText, newText })];
}

/** Content of the result: the changes of an edit, otherwise text and images. */
export function contentAfter(message: ToolResultMessage): ToolCallContent[] {
  const changed = message.isError ? undefined : changeIn(message);
  if (changed) return changed.parts.map((part) => diffPart(changed.path, part, changed.isNew));
  return message.content.map((block) =>
    block.type === "image"
      ? { type: "content", content: { type: "image", data: block.data, mimeType: block.mimeType } }
      : textPart(codeBlock(cleanText(block.text))),
  );
}

/** The lines that a finished edit has changed. */
export function locationsAfter(message: ToolResultMessage): ToolCallLocation[] | undefined {
  const changed = message.isError ? undefined : changeIn(message);
  return changed?.parts.slice(0, 1).map(({ line }) => ({ path: changed.path, line }));
}

function changeIn({ toolName, details }: ToolResultMessage) {
  if (toolName !== "Edit" && toolName !== "Write") return undefined;
  const { file, diff, created } = (details ?? {}) as { file?: { path?: unknown }; diff?: unknown; created?: unknown };
  if (typeof file?.path !== "string" || typeof diff !== "string") return undefined;
  const parts = partsOf(diff);
  return parts.length > 0 ? { path: file.path, parts, isNew: created === true } : undefined;
}

/** The arguments of a call as an object; a model may have written anything else. */
export function argsOf(args: unknown): Args {
  return typeof args === "object" && args !== null ? (args as Args) : {};
}
