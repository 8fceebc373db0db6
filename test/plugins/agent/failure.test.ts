import type { AssistantMessage } from "@mariozechner/pi-ai";
import { describe, expect, it } from "vitest";
import { judge } from "../../../plugins/agent/turn/failure.ts";
import { patterns } from "../../../plugins/agent/turn/failure-patterns.ts";
import { noUsage } from "../../../plugins/kit/session/usage.ts";

const failed = (errorMessage: string): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: "fake",
  provider: "test",
  model: "fake",
  usage: noUsage(),
  stopReason: "error",
  errorMessage,
  timestamp: 0,
});
const kindOf = (text: string) => judge(failed(text)).kind;
const waitOf = (text: string) => judge(failed(`429 ${text}`)).retryAfterMs;

/** Messages of providers, proxies and networks. */
const retryable = [
  "429 Too Many Requests",
  "429 status code (no body)",
  "500 status code (no body)",
  "502 <html><h1>Bad gateway</h1></html>",
  "503 The model is loading",
  "529 overloaded",
  '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}',
  '{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}',
  '{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}',
  "Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000",
  "ThrottlingException: Too many tokens, please wait before trying again.",
  "429 Your request exceeds the limit of 60 per minute",
  "Too many concurrent requests",
  "RESOURCE_EXHAUSTED",
  "This model is currently experiencing high demand",
  "The engine is over capacity. Please try again later.",
  "Service unavailable",
  "The service is temporarily unavailable",
  "Internal server error",
  "server_error",
  "Bad gateway",
  "Gateway time-out",
  "upstream connect error or disconnect/reset before headers",
  "Provider returned error",
  "network error",
  "Connection error.",
  "Connection reset by peer",
  "fetch failed",
  "socket hang up",
  "other side closed",
  "Premature close",
  "Request timed out.",
  "timeout",
  "deadline exceeded",
  "terminated",
  "connection closed before the reply was complete",
  "Expected property name or '}' in JSON at position 1",
  `Unexpected token '<', "<html>" is not valid JSON`,
  "stream ended without a finish marker",
  "empty reply: stream ended without a finish marker",
  "the reply ended with MALFORMED_FUNCTION_CALL",
  "Provider finish_reason: insufficient_system_resource",
  "stream ended before message_stop",
];
const overflow = [
  '400 {"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
  "400 Your input exceeds the context window of this model.",
  "400 This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens",
  "500 the request exceeds the available context size, try increasing it",
  '{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"}}',
  "413 request_too_large",
];
const hopeless = [
  "no reason given",
  "out of memory",
  "400 no such thing",
  "400 status code (no body)",
  "401 Incorrect API key provided",
  "402 Payment required: try again later",
  "402 Payment required: try again in 20s",
  "403 Forbidden, internal error",
  "404 model not found",
  "408 Request timeout",
  "422 server_error in your schema",
  "429 You exceeded your current quota, please check your plan and billing details.",
  "429 insufficient_quota",
  "Your credit balance is too low",
  "Provider finish_reason: content_filter",
  "the reply ended with refusal",
  "the provider blocked the request (PROHIBITED_CONTENT)",
  "The server answered with a web page (text/html) instead of a stream: is baseUrl right?",
  "No key for provider: set it and try",
];

describe("a failed call", () => {
  it.each(retryable)("is retryable: %s", (text) => expect(kindOf(text)).toBe("retryable"));
  it.each(overflow)("is an overflow: %s", (text) => expect(kindOf(text)).toBe("overflow"));
  it.each(hopeless)("is final: %s", (text) => expect(kindOf(text)).toBe("final"));

  it.each([
    "400 registry.example/library/m1 does not support tools",
    "404 No endpoints found that support tool use.",
    "`tool use` is not supported: tool use is not supported with this model",
    "Function calling is not supported",
  ])("means that the model has no tools: %s", (text) => expect(kindOf(text)).toBe("no_tools"));

  it("is classified by the server's answer before its text", () => {
    expect(judge(failed("overloaded"), { status: 400 }).kind).toBe("final");
    expect(judge(failed("no such thing"), { status: 503 }).kind).toBe("retryable");
    expect(judge(failed("too many tokens"), { status: 429 }).kind).toBe("retryable");
    expect(judge(failed("too many tokens"), { status: 400 }).kind).toBe("overflow");
  });

  it("about a quota is retryable if the server says how long to wait", () => {
    const text = "You exceeded your current quota, please check your plan and billing details.";
    expect(judge(failed(text), { status: 429 })).toEqual({ kind: "final" });
    expect(judge(failed(text), { status: 429, retryAfterMs: 7 })).toEqual({ kind: "retryable", retryAfterMs: 7 });
  });

  it.each([
    ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_SOCKET"],
    ...["the proxy proxy.test:3128: ECONNREFUSED", "the proxy proxy.test:3128 answered 503"],
  ])("may reach the server later: %s", (unreached) =>
    expect(judge(failed("connection error"), { unreached }).kind).toBe("retryable"),
  );
  it.each([
    ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "unknown scheme"],
    ...["the proxy proxy.test:3128: CERT_HAS_EXPIRED", "the proxy proxy.test:3128 answered 407"],
  ])("is final when the network error is %s", (unreached) =>
    expect(judge(failed("connection error"), { unreached }).kind).toBe("final"),
  );

  it("is tested here for every pattern", () => {
    const all = [...retryable, ...hopeless];
    expect(patterns.filter(({ pattern }) => !all.some((text) => pattern.test(text)))).toEqual([]);
  });
});

describe("the delay before a retry", () => {
  it("is read from the message", () => {
    expect(waitOf("Please try again in 1.5s.")).toBe(1_500);
    expect(waitOf("Please try again in 20ms.")).toBe(20);
    expect(waitOf("Please try again in 2m.")).toBe(120_000);
    expect(waitOf("Please try again in 6m0s.")).toBe(360_000);
    expect(waitOf("Please try again in 1m12.5s.")).toBe(72_500);
    expect(waitOf("Please try again in 1h2m3s.")).toBe(3_723_000);
    expect(waitOf("Please try again in 2 minutes 3 seconds.")).toBe(123_000);
    expect(waitOf("Please try again in 1 hour.")).toBe(3_600_000);
    expect(waitOf("Retry after 7 seconds")).toBe(7_000);
    expect(waitOf("Please retry in 34.074824224s.")).toBe(34_075);
    expect(waitOf('{"retryDelay": "34s"}')).toBe(34_000);
    expect(waitOf("Please try again later.")).toBeUndefined();
    expect(waitOf("try again in 5 apples")).toBeUndefined();
    expect(waitOf("try again in 5 months")).toBeUndefined();
  });
  it("is read from the header, if there is one", () => {
    expect(judge(failed("try again in 20s"), { status: 429, retryAfterMs: 3 }).retryAfterMs).toBe(3);
  });
});
