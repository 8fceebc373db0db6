import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/workspace/contract";
import { answers } from "./calls/answers.ts";
import { type Clock, systemClock } from "./clock.ts";
import { config } from "./config.ts";
import type {
  ToolCallApproval,
  ToolCallChange,
  ToolCallDecision,
  ToolCallObjection,
  ToolCallOutcome,
  ToolCallRevision,
} from "./contract.ts";
import type { Environment, HookCalls } from "./environment.ts";
import { createFacade } from "./facade.ts";
import { Listeners } from "./listeners.ts";
import { joinStored, storeAnswer } from "./messages/before-store.ts";
import { operations } from "./operations.ts";
import { joinPayload, joinRequest, payloadAnswer, requestAnswer } from "./request/answers.ts";
import { usageCharged } from "./turn/charged.ts";
import { Dispatcher } from "./turn/dispatcher.ts";
import { turnWaitEnd, turnWaitStart } from "./turn/place.ts";
import { Queue, queueProjection, queueSeqProjection, queueUpdate, sentProjection } from "./turn/queue.ts";
import { retryEnd, retryStart } from "./turn/retry.ts";

/** Plugin `agent`: turns, the message queue, retries, guards and the native hooks. */
export default createAgent(systemClock);

/** Creates the plugin with the given clock. */
export function createAgent(clock: Clock): AnyPlugin {
  return definePlugin({
    id: "agent",
    name: "Agent",
    version: "0.1.0",
    // `mergeMessage` is listed for its plugin's event types, which turns write.
    needs: ["model", "mergeMessage"],
    provides: ["agent"],
    config,
    sessionOptions: () => [
      {
        key: "thinking",
        kind: "text",
        flag: {
          flags: "--thinking <level>",
          description: "How hard the model thinks, now and in later runs of the session",
          values: ["off", "minimal", "low", "medium", "high", "xhigh"],
        },
      },
    ],
    events: {
      queue_update: queueUpdate,
      retry_start: retryStart,
      retry_end: retryEnd,
      turn_wait_start: turnWaitStart,
      turn_wait_end: turnWaitEnd,
      usage_charged: usageCharged,
    },
    projections: {
      queue: queueProjection,
      queueSeq: queueSeqProjection,
      sent: sentProjection,
    },
    operations,
    activate(ctx) {
      const hooks: HookCalls = {
        beforeToolCall: ctx.defineHook("beforeToolCall", revising, answers.revision("beforeToolCall")),
        approveToolCall: ctx.defineHook("approveToolCall", { fold: joinDecision }, answers.decision("approveToolCall")),
        afterToolCall: ctx.defineHook("afterToolCall", { fold: joinChange }, answers.change("afterToolCall")),
        beforeContext: ctx.defineHook("beforeContext", "bail"),
        transformContext: ctx.defineHook("transformContext", "waterfall", answers.messages("transformContext")),
        contextOverflow: ctx.defineHook("contextOverflow", "bail"),
        systemPrompt: ctx.defineHook("systemPrompt", "waterfall", answers.text("systemPrompt")),
        convertToLlm: ctx.defineHook("convertToLlm", "waterfall", answers.messages("convertToLlm")),
        beforeStore: ctx.defineHook("beforeStore", { fold: joinStored }, storeAnswer),
        modelRequest: ctx.defineHook("modelRequest", { fold: joinRequest }, requestAnswer(ctx)),
        modelPayload: ctx.defineHook("modelPayload", { fold: joinPayload }, payloadAnswer),
      };
      const listeners = new Listeners((thrown) => ctx.report("agent.subscribe", thrown));
      const env: Environment = { ctx, hooks, listeners, queue: new Queue(ctx.session), clock };
      const dispatcher = new Dispatcher(env);
      ctx.beforeStop(() => dispatcher.stop());
      ctx.provide("agent", createFacade(env, dispatcher));
      const ignore = ctx.subscribe(
        async ({ type }) => {
          if (type !== "session_start" && type !== "session_abandoned") return;
          void ignore();
          if (ctx.session.activeLeaf === null) return;
          const abandoned = type === "session_abandoned";
          await (await import("./calls/lost-calls.ts")).storeLostCalls(env, { abandoned });
        },
        { joined: true },
      );
    },
  });
}

/** Merges a layer's change: the fields it sets replace those of the result. */
function joinChange(outcome: ToolCallOutcome, change: ToolCallChange): ToolCallOutcome {
  const { isError, ...changed } = change;
  return { ...outcome, result: { ...outcome.result, ...changed }, isError: isError ?? outcome.isError };
}

/** Passes a layer's arguments on to the next layer. A refusal ends the chain. */
const revising = {
  fold: (call: ToolCallApproval, { args, block, reason }: ToolCallRevision): ToolCallApproval => ({
    ...call,
    ...(args !== undefined && { args }),
    ...(block && { refused: { block, ...(reason !== undefined && { reason }) } }),
  }),
  ends: ({ block }: ToolCallRevision) => block === true,
};

/** Keeps the first refusal, which later layers cannot overrule, and everything that a person has to approve. */
function joinDecision(call: ToolCallApproval, decision: ToolCallDecision): ToolCallApproval {
  if (decision.block) return call.refused ? call : Object.freeze({ ...call, refused: decision });
  if (decision.ask === undefined) return call;
  return Object.freeze({ ...call, asks: [...(call.asks ?? []), decision as ToolCallObjection] });
}
