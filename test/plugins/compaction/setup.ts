import compaction from "@scorel/compaction";
import type {} from "@scorel/compaction/contract";
import type { TestPlugin } from "../../harness.ts";
import { type Part, type RecordedRequest, type Reply, type Script, text, usage } from "../../model-server.ts";
import { openAgent } from "../agent/setup.ts";

export const window = 10_000;
/** A text of about this many tokens. */
export function words(tokens: number, mark = "w"): string {
  const word = `${mark.padEnd(3, "x").slice(0, 3)} `;
  return word.repeat(tokens);
}

/** The size of a request in tokens, at four bytes per token. */
export function tokensOf({ text: sent }: Pick<RecordedRequest, "text">): number {
  return Math.ceil(Buffer.byteLength(sent) / 4);
}

/** Whether a request asks for a summary. */
export function asksForSummary({ text: sent }: Pick<RecordedRequest, "text">): boolean {
  return sent.includes("Write a summary of the conversation above");
}

/**
 * A script that plays the replies in order, and answers requests for a summary with `summary`. Usage is computed from
 * the sizes.
 */
export function playing(
  replies: readonly Reply[],
  summary: (request: RecordedRequest, count: number) => Reply,
): Script {
  let next = 0;
  let summaries = 0;
  return (request) => {
    const reply = asksForSummary(request) ? summary(request, summaries++) : (replies[next++] ?? text("ok"));
    const parts: Part[] = "do" in reply ? [reply] : [...reply];
    const counted = parts.some(({ do: what }) => ["usage", "status", "raw"].includes(what));
    return counted
      ? parts
      : [...parts, usage({ input: tokensOf(request), output: tokensOf({ text: JSON.stringify(parts) }) })];
  };
}

/** An agent with compaction and a window of 10,000 tokens. */
export function openCompacting(
  script: Script,
  { compaction: config = {}, ...options }: Parameters<typeof openAgent>[1] & { compaction?: object } = {},
) {
  const plugin: TestPlugin = { plugin: compaction, config };
  return openAgent(script, {
    ...options,
    plugins: [...(options.plugins ?? []), plugin],
    model: { contextWindow: window, ...options.model },
  });
}

/** The messages of a request as `role: text`, with the names of called tools. */
export function saidIn({ body }: Pick<RecordedRequest, "body">): string[] {
  return body.messages.map(({ role, content, tool_calls }: any) => {
    const said =
      typeof content === "string" ? content : (content ?? []).map((block: any) => block.text ?? block.type).join("|");
    return `${role}: ${said}${tool_calls ? ` <${tool_calls.map((call: any) => call.function.name)}>` : ""}`;
  });
}
