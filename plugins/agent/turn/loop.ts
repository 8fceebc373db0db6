import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessageEventStream, Context, ThinkingLevel } from "@mariozechner/pi-ai";
import { linkedTo, untilAborted } from "@scorel/kit/values/abort";
import type { UserMessage } from "@scorel/messages/contract";
import type { StreamOptions } from "@scorel/model/contract";
import { breath } from "../breath.ts";
import { ConversationIds } from "../calls/call-ids.ts";
import { Calls } from "../calls/calls.ts";
import { offeredTools, systemPrompt, tools } from "../environment.ts";
import { toAgentMessages, toRequestMessages } from "../messages/convert.ts";
import { repair } from "../messages/repair.ts";
import { replaceMessages, runPiLoop } from "../pi-loop.ts";
import { guardStream } from "../reply/guard.ts";
import { Recorder } from "../reply/recorder.ts";
import { sendRequest } from "../request/send.ts";
import { beginningWith } from "./stored-reply.ts";
import type { Turn } from "./turn.ts";

const levels: readonly string[] = ["minimal", "low", "medium", "high", "xhigh"] satisfies ThinkingLevel[];

/**
 * Calls the model and runs its tools until it rests. Before each model call the conversation is rebuilt from the log;
 * all results reach the log through the recorder. `again` means that an earlier attempt has already announced the starting messages. A
 * suspended turn begins with its stored reply.
 */
export async function runLoop(turn: Turn, started: readonly UserMessage[], again = false): Promise<void> {
  const { ctx } = turn.env;
  const calls = new Calls(turn);
  const stored = turn.takeStored();
  const announced = again || stored !== undefined;
  const recorder = new Recorder(turn, calls, { started: announced ? [] : toAgentMessages(started), stored });
  const ids = new ConversationIds();
  const frozen = systemPrompt(ctx);
  let sent = frozen;
  try {
    await runPiLoop({
      signal: turn.signal,
      last: toAgentMessages(started.slice(-1)),
      systemPrompt: frozen,
      model: () => ctx.model.current(),
      tools: () => tools(ctx),
      offered: () => offeredTools(ctx),
      call: (id) => calls.of(id),
      isAtLimit: () => turn.endsAtLimit(),
      ...beginningWith(stored, turn, {
        conversation: (library) => prepare(turn, library),
        async request(messages) {
          await breath(0);
          sent = await failing(turn, sent, () =>
            untilAborted(turn.env.hooks.systemPrompt(frozen, turn.signal), turn.signal),
          );
          const converted = await failing(turn, messages, () => layered(turn, "convertToLlm", messages));
          return { systemPrompt: sent, messages: repair(converted) };
        },
        stream: (request) => callModel(turn, calls, ids, request),
        waiting: async (resting) => toAgentMessages(await turn.next(resting)),
      }),
      hear: recorder.hear,
    });
  } finally {
    recorder.close();
  }
}

/**
 * How often the context is rebuilt after a layer appended to the log: once for an addition and once to shorten the
 * result.
 */
const MOST_REBUILDS = 2;

/** Replaces the library's messages by those of the log, then lets the hook layers change them for this call. */
function prepare(turn: Turn, library: AgentMessage[]): Promise<AgentMessage[]> {
  return failing(turn, library, () =>
    turn.path.open(async () => {
      // Another call may also follow a failed one, or a message that was waiting.
      if (turn.endsAtLimit()) turn.signal.throwIfAborted();
      turn.checkRepeats(library);
      const { session } = turn.env.ctx;
      for (let rebuilds = 0; ; rebuilds++) {
        await untilAborted(turn.env.hooks.beforeContext({ model: modelOf(turn) }, turn.signal), turn.signal);
        const leaf = session.activeLeaf;
        const messages = await transformed(turn, library);
        // A layer appended to the conversation, so build it again to include that in this call.
        if (session.activeLeaf === leaf || rebuilds === MOST_REBUILDS) return messages;
      }
    }),
  );
}

function modelOf({ env }: Turn): string {
  const { provider, id } = env.ctx.model.current();
  return `${provider}/${id}`;
}

function transformed(turn: Turn, library: AgentMessage[]): Promise<AgentMessage[]> {
  const built = toRequestMessages(turn.env.ctx.session.buildContext());
  replaceMessages(library, built);
  return layered(turn, "transformContext", built);
}

function layered(
  turn: Turn,
  hook: "transformContext" | "convertToLlm",
  messages: AgentMessage[],
): Promise<AgentMessage[]> {
  return untilAborted(turn.env.hooks[hook](messages, turn.signal), turn.signal);
}

/**
 * Runs `work`. An error fails the turn and `otherwise` is returned, because the library's loop must not get a rejection;
 * the guarded stream then ends the round.
 */
async function failing<T>(turn: Turn, otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    turn.fail(thrown);
    return otherwise;
  }
}

/**
 * Calls the model. The request gets its own signal, so that it can be aborted together with the reply, and leaves no listener on the
 * turn's signal.
 */
function callModel(turn: Turn, calls: Calls, ids: ConversationIds, asked: Context): AssistantMessageEventStream {
  const { model, config } = turn.env.ctx;
  const inUse = model.current();
  const request = linkedTo(turn.signal);
  const about = { provider: inUse.provider, model: inUse.id, purpose: "turn", round: turn.rounds };
  const { signal } = request;
  const send = () => sendRequest(turn.env, about, { model, context: asked, options: options(turn, signal), signal });
  const stream = guardStream(send, {
    signal: turn.signal,
    idleMs: (inUse.idleTimeout ?? config.idleTimeout) * 1_000,
    model: inUse,
    takenIds: () => ids.of(asked.messages),
    onFailure: (failure) => {
      if (!turn.repeats(failure, inUse)) turn.failed(failure.error);
    },
    onSuccess: () => turn.retries.succeeded(),
    onUnreadable: (id, flaw) => calls.refuse(id, flaw),
  });
  void stream.result().then(({ stopReason }) => request.end(stopReason === "error"));
  return stream;
}

function options(turn: Turn, signal: AbortSignal): StreamOptions {
  const { session } = turn.env.ctx;
  const level = session.projection("sessionMeta").thinkingLevel;
  return {
    signal,
    sessionId: session.id,
    maxRetries: 0,
    mayJoin: () => session.joinsDeltas && !turn.env.listeners.any,
    ...(level !== undefined && levels.includes(level) && { reasoning: level as ThinkingLevel }),
  };
}
