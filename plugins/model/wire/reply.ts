import type { Api, AssistantMessage, AssistantMessageEventStream, Model, ToolResultMessage } from "@mariozechner/pi-ai";
import { noUsage } from "@scorel/kit/session/usage";
import type { RequestFailure } from "../contract.ts";

type Named = Pick<Model<Api>, "api" | "provider" | "id">;

/** Creates an empty assistant message. */
export function emptyMessage({ api, provider, id }: Named): AssistantMessage {
  const from = { api, provider, model: id };
  return { role: "assistant", content: [], ...from, usage: noUsage(), stopReason: "stop", timestamp: Date.now() };
}

/** Creates a stream with a single failure. */
export async function failedStream(
  model: Named,
  errorMessage: string,
  { reason = "error", failure }: { reason?: "error" | "aborted"; failure?: RequestFailure | undefined } = {},
): Promise<AssistantMessageEventStream> {
  const { createAssistantMessageEventStream } = await import("@mariozechner/pi-ai");
  const stream = createAssistantMessageEventStream();
  const made: AssistantMessage = { ...emptyMessage(model), stopReason: reason, errorMessage };
  const error = { ...made, ...(failure && { failure }) };
  stream.push({ type: "error", reason, error });
  stream.end(error);
  return stream;
}

/** Returns the text blocks of a result, joined. */
export function textOf({ content }: ToolResultMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
