import type { BaseContext } from "@scorel/kernel";
import { assertFields, isObject } from "../calls/answers.ts";
import type { ModelPayload, ModelRequest, ModelRequestChange } from "../contract.ts";
import { errors } from "../errors.ts";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];
/** Headers that Scorel or its HTTP client sets. With these, layers could only break the request or send a key. */
const RESERVED =
  /^(authorization|proxy-authorization|cookie|(x-)?api-key|x-goog-api-key|host|connection|expect|upgrade|te|trailer|transfer-encoding|accept-encoding|content-(length|type|encoding)|x-scorel-.*)$/i;

const request = {
  fields: ["temperature", "maxTokens", "thinking", "headers", "tools"],
  wanted:
    "parts of a request: temperature (a number from 0), maxTokens (a whole number from 1), thinking (a level or off), headers (texts by name), tools (each with name, description and parameters)",
};
const payload = { fields: ["payload"], wanted: "{ payload: object }" };

/** Creates the validator for results of layers of `modelRequest`. */
export function requestAnswer(ctx: BaseContext): (answer: unknown) => void {
  return (answer) => {
    assertFields("modelRequest", answer, request);
    assertRequest(answer, (text) => ctx.find("secrets")?.redact(text) ?? text);
  };
}

/** Validates the parts of a request that layers may set. */
export function assertRequest(parts: ModelRequestChange | Record<string, unknown>, redact: (text: string) => string) {
  const { temperature, maxTokens, thinking, headers, tools } = parts;
  const sound =
    (temperature === undefined || (isNumber(temperature) && temperature >= 0)) &&
    (maxTokens === undefined || (Number.isInteger(maxTokens) && Number(maxTokens) >= 1)) &&
    (thinking === undefined || LEVELS.includes(thinking as string)) &&
    (headers === undefined || (isObject(headers) && Object.values(headers).every(isText))) &&
    (tools === undefined || areTools(tools));
  if (!sound) throw errors.AGENT_HOOK_ANSWER({ hook: "modelRequest", wanted: request.wanted });
  for (const [header, value] of Object.entries(headers ?? {})) assertHeader(header, value as string, redact);
}

function assertHeader(header: string, value: string, redact: (text: string) => string): void {
  const refuse = (reason: string) => errors.AGENT_REQUEST_HEADER({ header: redact(header), reason });
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) throw refuse("which is not a header name");
  if (RESERVED.test(header)) throw refuse("which Scorel sets itself; keys are named by apiKeyEnv");
  if (!/^[\t\x20-\x7e]*$/.test(value)) throw refuse("whose value has characters that headers cannot have");
  if (redact(value) !== value) throw refuse("whose value holds a key; Scorel sends a key only to its own provider");
}

/** Validates what a layer of `modelPayload` returns. */
export function payloadAnswer(answer: unknown): void {
  assertFields("modelPayload", answer, payload);
  if (!isObject(answer.payload)) throw errors.AGENT_HOOK_ANSWER({ hook: "modelPayload", wanted: payload.wanted });
}

export function joinRequest(before: ModelRequest, change: ModelRequestChange): ModelRequest {
  return { ...before, ...change, headers: { ...before.headers, ...change.headers } };
}

export function joinPayload(before: ModelPayload, change: Pick<ModelPayload, "payload">): ModelPayload {
  return { ...before, payload: change.payload };
}

function areTools(tools: unknown): boolean {
  if (!Array.isArray(tools)) return false;
  const isTool = (tool: unknown) =>
    isObject(tool) &&
    typeof tool.name === "string" &&
    /^[A-Za-z0-9_-]{1,64}$/.test(tool.name) &&
    isText(tool.description) &&
    isObject(tool.parameters);
  return tools.every(isTool) && new Set(tools.map(({ name }) => name)).size === tools.length;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
