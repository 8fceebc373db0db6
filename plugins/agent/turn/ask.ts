import type { AssistantMessage } from "@mariozechner/pi-ai";
import { addUsage, noUsage } from "@scorel/kit/session/usage";
import { linkedTo } from "@scorel/kit/values/abort";
import type { StreamOptions, UsableModel } from "@scorel/model/contract";
import type { Answer, Question } from "../contract.ts";
import { type Environment, redaction } from "../environment.ts";
import { assistantText } from "../messages/convert.ts";
import { guardStream } from "../reply/guard.ts";
import { sendRequest } from "../request/send.ts";
import type { Failure } from "./failure.ts";
import { Retries } from "./retry.ts";

/**
 * Thoughts that a server sends as text before the answer, as some local ones do. Without `</think>`, the reply was cut off while the model
 * was thinking, and there is no answer.
 */
const THOUGHTS = /^\s*<think>[\s\S]*?(?:<\/think>|$)/;

/**
 * Makes one model call outside the conversation, without tools, but guarded, retried, redacted and counted like a
 * round. Calls `spent` with each attempt's message for its usage. Rejects with the reply's failure or the signal's
 * reason.
 */
export async function ask(
  env: Environment,
  question: Question,
  spent: (message: AssistantMessage) => void,
): Promise<Answer> {
  const asked = linkedTo(question.signal ?? env.ctx.signal, env.ctx.session.stopping);
  try {
    return await answered(env, question, spent, asked.signal);
  } finally {
    asked.end();
  }
}

/** Repeats the call until it succeeds, fails for good, or the retries are used up. */
async function answered(
  env: Environment,
  question: Question,
  spent: (message: AssistantMessage) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const model = question.alias === undefined ? env.ctx.model : await env.ctx.model.named(question.alias);
  const retries = new Retries(env, signal);
  let usage = noUsage();
  for (;;) {
    const { message, failure } = await attempt(env, model, question, signal);
    spent(message);
    usage = addUsage(usage, message.usage);
    if (!failure && message.stopReason !== "aborted") return answerOf(env, message, usage);
    if (failure && !retries.plan(failure) && !signal.aborted) throw failure.error;
    if (!(await retries.wait())) throw signal.reason;
  }
}

async function attempt(
  env: Environment,
  model: UsableModel,
  { systemPrompt, text, maxTokens, purpose = "question" }: Question,
  signal: AbortSignal,
): Promise<{ message: AssistantMessage; failure: Failure | undefined }> {
  const inUse = model.current();
  const request = linkedTo(signal);
  const options: StreamOptions = {
    signal: request.signal,
    maxRetries: 0,
    ...(maxTokens !== undefined && { maxTokens: Math.min(maxTokens, inUse.maxTokens || maxTokens) }),
  };
  const messages = [{ role: "user" as const, content: text, timestamp: Date.now() }];
  let failure: Failure | undefined;
  const about = { provider: inUse.provider, model: inUse.id, purpose };
  const send = () => sendRequest(env, about, { model, context: { systemPrompt, messages }, options, signal });
  const stream = guardStream(send, {
    signal,
    idleMs: (inUse.idleTimeout ?? env.ctx.config.idleTimeout) * 1_000,
    model: inUse,
    takenIds: () => new Set(),
    onFailure: (why) => {
      failure = why;
    },
  });
  // The result settles only when the stream has been read to its end.
  for await (const _event of stream);
  const message = await stream.result();
  request.end(message.stopReason === "error");
  return { message, failure };
}

function answerOf({ ctx }: Environment, message: AssistantMessage, usage: Answer["usage"]): Answer {
  return {
    text: redaction(ctx).text(assistantText(message.content).replace(THOUGHTS, "")),
    model: `${message.provider}/${message.model}`,
    stopReason: message.stopReason,
    usage,
  };
}
