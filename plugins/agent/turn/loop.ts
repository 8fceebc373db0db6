import {
  type AgentLoopConfig,
  type AgentMessage,
  type AgentContext as LibraryContext,
  runAgentLoopContinue,
} from "@mariozechner/pi-agent-core";
import type { AssistantMessageEventStream, Context, ThinkingLevel } from "@mariozechner/pi-ai";
import type { UserMessage } from "@scorel/messages/contract";
import type { StreamOptions } from "@scorel/model/contract";
import { linkedTo, untilAborted } from "../abort.ts";
import { ConversationIds } from "../calls/call-ids.ts";
import { Calls } from "../calls/calls.ts";
import { offeredTools, systemPrompt } from "../environment.ts";
import { toAgentMessages, toRequestMessages } from "../messages/convert.ts";
import { repair } from "../messages/repair.ts";
import { guardStream } from "../reply/guard.ts";
import { Recorder } from "../reply/recorder.ts";
import type { Turn } from "./turn.ts";

const levels: readonly string[] = ["minimal", "low", "medium", "high", "xhigh"] satisfies ThinkingLevel[];

/**
 * Runs pi-agent-core's loop once. Before each model call the conversation is rebuilt from the log; all results reach
 * the log through the recorder. `again` means that an earlier run has announced the starting messages.
 */
export async function runLoop(turn: Turn, started: readonly UserMessage[], again = false): Promise<void> {
  const { ctx } = turn.env;
  const recorder = new Recorder(turn, again ? [] : toAgentMessages(started));
  const calls = new Calls(turn, (id, args) => recorder.validated(id, args));
  const ids = new ConversationIds();
  const context: LibraryContext = {
    systemPrompt: systemPrompt(ctx),
    messages: toAgentMessages(started.slice(-1)),
    tools: calls.tools(),
  };
  try {
    await runAgentLoopContinue(context, configure(turn, calls, context), recorder.hear, turn.signal, (_model, asked) =>
      callModel(turn, calls, ids, { ...asked, systemPrompt: context.systemPrompt }),
    );
  } finally {
    recorder.close();
  }
}

function configure(turn: Turn, calls: Calls, context: LibraryContext): AgentLoopConfig {
  const frozen = context.systemPrompt;
  const config: AgentLoopConfig = {
    model: turn.env.ctx.model.current(),
    toolExecution: "parallel",
    async transformContext(library) {
      config.model = turn.env.ctx.model.current();
      context.tools?.splice(0, Infinity, ...calls.tools());
      return prepare(turn, library);
    },
    async convertToLlm(messages) {
      context.systemPrompt = await failing(turn, context.systemPrompt, () =>
        untilAborted(turn.env.hooks.systemPrompt(frozen, turn.signal), turn.signal),
      );
      return repair(await failing(turn, messages, () => layered(turn, "convertToLlm", messages)));
    },
    beforeToolCall: (call) => calls.before(call),
    afterToolCall: (call) => calls.after(call),
    shouldStopAfterTurn: () => turn.signal.aborted,
    getSteeringMessages: async () => toAgentMessages(await turn.next(false)),
    getFollowUpMessages: async () => toAgentMessages(await turn.next(true)),
  };
  return config;
}

/**
 * How often the context is rebuilt after a layer appended to the log: once for an addition and once to shorten the
 * result.
 */
const MOST_REBUILDS = 2;

/** Replaces the library's messages with those of the log, then lets the hook layers change them for this call. */
function prepare(turn: Turn, library: AgentMessage[]): Promise<AgentMessage[]> {
  return failing(turn, library, () =>
    turn.path.open(async () => {
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
  library.length = 0;
  for (const message of built) library.push(message);
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
 * Runs `work`, which must not reject into pi-agent-core. An error fails the turn and `otherwise` is returned; the
 * guarded stream then ends the round.
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
 * Calls the model. The request gets its own signal, so that it can be given up with the reply and leaves no listener on
 * the turn's signal.
 */
function callModel(turn: Turn, calls: Calls, ids: ConversationIds, asked: Context): AssistantMessageEventStream {
  const { model, config } = turn.env.ctx;
  const inUse = model.current();
  const request = linkedTo(turn.signal);
  const stream = guardStream(() => model.stream(withParameters(turn, asked), options(turn, request.signal)), {
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

/** Adds the real tool schemas to the request. pi-agent-core gets tools without parameters; see Calls. */
function withParameters({ env }: Turn, asked: Context): Context {
  const offered = offeredTools(env.ctx);
  return offered.length === 0 ? asked : { ...asked, tools: offered as unknown as NonNullable<Context["tools"]> };
}
