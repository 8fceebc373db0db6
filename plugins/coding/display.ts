import type { DisplayAction } from "@scorel/kernel";
import type { ToolOutput } from "@scorel/tools/contract";

/** A card with the state of a result. If the result is an error, its text is shown. */
export function card(title: string, result: ToolOutput | undefined, text = "", body?: DisplayAction[]): DisplayAction {
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  return { display: "card", title, status, text: status === "error" ? textOf(result) : text, ...(body && { body }) };
}

/** The text of a result; an image becomes "[image]". "" without a result. */
export function textOf(result: ToolOutput | undefined): string {
  return result?.content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n") ?? "";
}

/** The first line of a result, which summarises what was found. */
export function brief(result: ToolOutput | undefined): string {
  return textOf(result).split("\n", 1)[0] ?? "";
}

/** The diff of an Edit or Write, for its card. */
export function diffOf(path: string, result: ToolOutput | undefined): DisplayAction[] {
  const diff = (result?.details as { diff?: unknown } | undefined)?.diff;
  return typeof diff === "string" && diff !== "" ? [{ display: "diff", path, text: diff }] : [];
}
