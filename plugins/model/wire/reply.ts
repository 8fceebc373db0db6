import type { Api, AssistantMessage, AssistantMessageEventStream, Model, ToolResultMessage } from "@mariozechner/pi-ai";

type Named = Pick<Model<Api>, "api" | "provider" | "id">;

/** Creates an empty assistant message. */
export function emptyMessage({ api, provider, id }: Named): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return { role: "assistant", content: [], api, provider, model: id, usage, stopReason: "stop", timestamp: Date.now() };
}

/** Creates a stream with a single failure. */
export async function failedStream(
  model: Named,
  errorMessage: string,
  reason: "error" | "aborted" = "error",
): Promise<AssistantMessageEventStream> {
  const { createAssistantMessageEventStream } = await import("@mariozechner/pi-ai");
  const stream = createAssistantMessageEventStream();
  const error: AssistantMessage = { ...emptyMessage(model), stopReason: reason, errorMessage };
  stream.push({ type: "error", reason, error });
  stream.end(error);
  return stream;
}

/** Returns the text blocks of a result, joined. */
export function textOf({ content }: ToolResultMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
