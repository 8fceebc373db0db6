import type { Finish, Format, Tokens } from "../model-server.ts";
import { sse } from "./sse.ts";

const reasons: Record<Finish, string> = { stop: "STOP", length: "MAX_TOKENS", toolUse: "STOP", filtered: "SAFETY" };

interface PendingCall {
  name: string;
  json: string;
}

/** The server side of `POST /v1beta/models/<id>:streamGenerateContent?alt=sse`, chunk by chunk as Google sends them. */
export const googleGenerativeAi: Format = {
  api: "google-generative-ai",
  base: "/v1beta",
  serves: (path) => /^\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/.test(path),
  contentType: "text/event-stream",
  reply(_request, index, tokens) {
    const envelope = { modelVersion: "gemini", responseId: `google-${index}` };
    const chunk = (parts: object[], rest: object = {}) =>
      sse({ candidates: [{ content: { role: "model", parts }, index: 0, ...rest }], ...envelope });
    // A call is sent as a whole, so its pieces are collected here.
    let pending: PendingCall | undefined;
    const due = () => {
      const call = pending;
      pending = undefined;
      return call && isJson(call.json) ? chunk([callPart(call)]) : "";
    };
    return {
      start: () => "",
      text: (piece) => due() + chunk([{ text: piece }]),
      thinking: (piece) => due() + chunk([{ text: piece, thought: true }]),
      callStart(_call, _id, name) {
        const before = due();
        pending = { name, json: "" };
        return before;
      },
      callDelta(_call, piece) {
        if (pending) pending.json += piece;
        return "";
      },
      broken: () => (pending && !isJson(pending.json) ? beginningOf(pending) : due()),
      failure: (message) => JSON.stringify({ error: { code: 503, message, status: "UNAVAILABLE" } }),
      end(reason) {
        const malformed = pending !== undefined && !isJson(pending.json);
        const finishReason = malformed ? "MALFORMED_FUNCTION_CALL" : reasons[reason];
        const last = { candidates: [{ finishReason, index: 0 }], usageMetadata: usageOf(tokens), ...envelope };
        return due() + sse(last);
      },
    };
  },
  error: (message) => ({ error: { code: 500, message, status: "INTERNAL" } }),
};

function callPart({ name, json }: PendingCall): object {
  return { functionCall: { name, args: JSON.parse(json) as unknown } };
}

/** The bytes of a chunk, cut in the middle of a call's arguments. */
function beginningOf({ name, json }: PendingCall): string {
  return `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"${name}","args":${json}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function usageOf({ input, output, cached = 0 }: Tokens): object {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}
