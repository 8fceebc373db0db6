import type { Invocation } from "@scorel/cli/contract";
import { printAnswer } from "@scorel/host/command-line";
import type { HostService, OperationContext, SessionHandle } from "@scorel/host/contract";
import type { PromptRow, PromptView } from "@scorel/prompt/contract";
import { errors } from "./errors.ts";

/** Returns the prompt of a session, or of a new one in `cwd`. Writes nothing. */
export async function readPrompt(
  { sessionId, cwd }: { sessionId?: string | undefined; cwd: string },
  { look, open, request }: OperationContext,
): Promise<PromptView> {
  if (sessionId !== undefined) return look(sessionId, viewOf);
  const begun = await request("create_session", { cwd, unsaved: true });
  try {
    return viewOf(await open(begun.sessionId));
  } finally {
    await request("close_session", { sessionId: begun.sessionId });
  }
}

/** Runs `prompt show`. */
export function show(host: HostService, invocation: Invocation): Promise<number> {
  const { options, cwd } = invocation;
  const { session, output } = options as Record<string, string | undefined>;
  return printAnswer(host, invocation, async (client) => {
    const view = await client.request("get_prompt", { cwd, ...(session !== undefined && { sessionId: session }) });
    return output === "json" ? `${JSON.stringify(view)}\n` : describe(view);
  });
}

/** Runs `prompt refresh`. */
export function refresh(host: HostService, invocation: Invocation): Promise<number> {
  const [id = ""] = invocation.args;
  return printAnswer(host, invocation, async (client) => {
    const { sessionId } = await client.request("load_session", { sessionId: id });
    const { bytes, cut, skipped } = await client.request("refresh_instructions", { sessionId });
    const left = [...cut.map(({ source }) => `${source}: no room`), ...skipped.map((file) => reasonOf(file))];
    const rows = [`The instructions were read again: ${bytes} bytes.`, ...left.map((each) => `left out: ${each}`)];
    return `${rows.join("\n")}\n`;
  });
}

function viewOf({ kernel }: SessionHandle): PromptView {
  const prompt = kernel.find("prompt");
  if (!prompt) throw errors.INSPECT_NO_PROMPT();
  return prompt.view();
}

/** Formats a prompt: a table of its parts, then the text. */
function describe(view: PromptView): string {
  const { bytes, tokens, tools, budget, skipped, frozen, text } = view;
  const total = { bytes: bytes + tools.bytes, tokens: tokens + tools.tokens };
  const table = [
    ["section", "priority", "bytes", "~tokens", "source"],
    ...view.rows.map(cells),
    ["prompt", "", String(bytes), String(tokens), budget === undefined ? "" : `of ${budget} tokens at most`],
    ["tools", "", String(tools.bytes), String(tools.tokens), `${tools.count} schemas`],
    ["total", "", String(total.bytes), String(total.tokens), ""],
  ];
  const origin = frozen ? "Frozen in this session:" : "A new session would get:";
  const left = skipped.map((file) => `skipped ${reasonOf(file)}`);
  return `${[origin, ...aligned(table), ...left, "", text].join("\n")}\n`;
}

function cells({ section, priority, bytes, tokens, source, cut }: PromptRow): string[] {
  return [section, String(priority), String(bytes), String(tokens), cut ? `${source} (cut: no room)` : source];
}

function aligned(rows: readonly string[][]): string[] {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map(([name = "", ...rest]) => {
    const numbers = rest.slice(0, 3).map((cell, index) => cell.padStart(widths[index + 1] ?? 0));
    return [name.padEnd(widths[0] ?? 0), ...numbers, rest[3]].join("  ").trimEnd();
  });
}

function reasonOf({ path, reason }: PromptView["skipped"][number]): string {
  return `${path}: ${reason}`;
}
