import type { AssistantMessageEventStream, Context, ThinkingLevel } from "@mariozechner/pi-ai";
import { untilAborted } from "@scorel/kit/values/abort";
import type { StreamOptions, UsableModel } from "@scorel/model/contract";
import type { ModelRequest, RequestFacts } from "../contract.ts";
import { type Environment, redaction } from "../environment.ts";
import { errors } from "../errors.ts";
import { assertRequest } from "./answers.ts";

interface Request {
  model: UsableModel;
  context: Context;
  options: StreamOptions;
  signal: AbortSignal;
}

/** Sends a request, after the layers of `modelRequest` and `modelPayload` have changed it. Without layers, it is sent unchanged. */
export async function sendRequest(
  env: Environment,
  about: RequestFacts,
  request: Request,
): Promise<AssistantMessageEventStream> {
  const changed = env.hooks.modelRequest.layers > 0 ? await shaped(env, about, request) : request;
  const { layers } = env.hooks.modelPayload;
  // Without layers, the complete payload is never created: see SentMessages of plugin `model`.
  const onPayload = layers > 0 && { onPayload: (made: unknown) => payload(env, about, made, request.signal) };
  return request.model.stream(changed.context, { ...changed.options, ...onPayload });
}

async function shaped(env: Environment, about: RequestFacts, { context, options, signal }: Request) {
  const { temperature, maxTokens, reasoning } = options;
  const asked: ModelRequest = {
    ...about,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    thinking: reasoning ?? "off",
    headers: {},
    tools: context.tools ?? [],
  };
  const wanted = await untilAborted(env.hooks.modelRequest(asked, signal), signal);
  // Layers of extensions may have modified their copy in place, which was not validated yet.
  assertRequest(wanted, redaction(env.ctx).text);
  const { reasoning: _reasoning, ...others } = options;
  const tools = wanted.tools as NonNullable<Context["tools"]>;
  return {
    context: tools.length > 0 || context.tools ? { ...context, tools } : context,
    options: {
      ...others,
      ...(wanted.temperature !== undefined && { temperature: wanted.temperature }),
      ...(wanted.maxTokens !== undefined && { maxTokens: wanted.maxTokens }),
      ...(wanted.thinking !== "off" && { reasoning: wanted.thinking as ThinkingLevel }),
      ...(Object.keys(wanted.headers).length > 0 && { headers: { ...wanted.headers } }),
    },
  };
}

/** Applies the layers of `modelPayload`. Throws AGENT_REQUEST_SECRET if they have put a key into the payload. */
async function payload(env: Environment, about: RequestFacts, made: unknown, signal: AbortSignal): Promise<unknown> {
  const before = keysIn(env, made);
  const asked = { ...about, payload: made as Record<string, unknown> };
  const wanted = await untilAborted(env.hooks.modelPayload(asked, signal), signal);
  if (keysIn(env, wanted.payload) > before) throw errors.AGENT_REQUEST_SECRET();
  return wanted.payload;
}

/** The number of known secrets in a value. */
function keysIn({ ctx }: Environment, value: unknown): number {
  return ctx.find("secrets")?.spans(Buffer.from(JSON.stringify(value) ?? "")).length ?? 0;
}
