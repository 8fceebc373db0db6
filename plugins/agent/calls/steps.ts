import { isDeepStrictEqual } from "node:util";
import type { EventId } from "@scorel/kernel";
import { linkedTo, untilAborted } from "@scorel/kit/values/abort";
import { frozenCopy } from "@scorel/kit/values/copy";
import type { ReadyOutput, ReadyTool } from "@scorel/tools/contract";
import { AT_ONCE, breath } from "../breath.ts";
import type { ToolCallInput, ToolCallOutcome, ToolCallRefusal } from "../contract.ts";
import type { Environment } from "../environment.ts";
import { fittedContent, isToFit } from "../messages/content.ts";
import { createThrottle } from "../reply/throttle.ts";
import { reasonOf, refusalFor, unapproved } from "./answers.ts";
import { plainArguments } from "./arguments.ts";
import { pendingSignals } from "./pending-signals.ts";
import { asResult, type CallResult, mergedResult } from "./result.ts";

/** The steps of a tool call. They are the same for calls of the model and calls that a person has typed. */

const UPDATE_INTERVAL_MS = 100;
/** Milliseconds that a cancelled tool gets to return a partial result. */
const LAST_WORDS_MS = 500;

/**
 * Validates a call, runs the layers of `beforeToolCall`, and validates changed arguments again. Returns the frozen call, or the reason why
 * a layer blocks it. Throws if arguments are invalid. `tool` is called each time it is needed, since the tool may have been removed.
 */
export async function validated(
  env: Environment,
  proposed: Omit<ToolCallInput, "args">,
  { tool, signal }: { tool(): ReadyTool; signal: AbortSignal },
): Promise<ToolCallInput | string> {
  const { name } = proposed.toolCall;
  const ready = tool();
  const written = plainArguments(name, ready.prepareArguments(proposed.toolCall.arguments));
  const valid = ready.validate(written);
  const toolCall = structuredClone(proposed.toolCall);
  // The schema of parameters is an object schema, so valid arguments are an object.
  const args = structuredClone(written) as ToolCallInput["args"];
  const revised = await revise(env, { ...proposed, toolCall, args }, signal);
  if (typeof revised === "string") return revised;
  const left = plainArguments(name, revised.args);
  // Unchanged arguments are not validated again: the schema's transforms would run twice.
  const final = isDeepStrictEqual(left, written) ? valid : tool().validate(left);
  const call = { ...proposed, toolCall: { ...proposed.toolCall, arguments: final }, args: final };
  return frozenCopy(call) as ToolCallInput;
}

/** Runs `beforeToolCall`. Returns the call with the arguments that its layers return, or the reason why a layer blocks it. */
async function revise({ hooks }: Environment, input: ToolCallInput, signal: AbortSignal) {
  try {
    signal.throwIfAborted();
    const revised = await untilAborted(hooks.beforeToolCall(input, signal), signal);
    signal.throwIfAborted();
    return revised.refused ? reasonOf(revised.refused) : revised;
  } catch (thrown) {
    return refusalFor(thrown, signal);
  }
}

/** Why a call does not run: the reason for the model, and whether a person refused it. */
export interface Refusal extends Pick<ToolCallRefusal, "byPerson"> {
  reason: string;
}

/**
 * Asks every guard about the final, frozen call. If a guard wants a person to approve it, calls `onAsk` and asks the person. A guard that
 * throws refuses the call. `place` is set if the turn can be resumed with the answer after a restart of the host.
 */
export async function judge(
  { hooks, ctx }: Environment,
  input: ToolCallInput,
  signal: AbortSignal,
  { onAsk = () => {}, place }: { onAsk?(): void; place?: { reply: EventId } | undefined } = {},
): Promise<Refusal | undefined> {
  try {
    const { refused, asks = [] } = await untilAborted(hooks.approveToolCall(input, signal), signal);
    signal.throwIfAborted();
    if (refused || asks.length === 0) return refused && { reason: reasonOf(refused) };
    const approver = ctx.find("approver");
    if (!approver) return { reason: unapproved(asks) };
    onAsk();
    const denied = await untilAborted(approver.ask(input, asks, signal, place), signal);
    signal.throwIfAborted();
    return denied && { reason: reasonOf(denied), ...(denied.byPerson && { byPerson: denied.byPerson }) };
  } catch (thrown) {
    return { reason: refusalFor(thrown, signal) };
  }
}

/** Runs the tool. Rejects with what it throws, and on abort. */
export async function execute(
  { ctx }: Environment,
  { tool, input }: { tool: ReadyTool; input: ToolCallInput },
  {
    signal,
    onUpdate,
    show,
    onState,
  }: {
    signal: AbortSignal;
    onUpdate(partial: ReadyOutput): void;
    show(partial: CallResult): void;
    onState?(state: "waiting" | "running"): void;
  },
): Promise<ReadyOutput> {
  await pendingSignals();
  await breath(AT_ONCE);
  signal.throwIfAborted();
  const own = linkedTo(signal);
  const updates = createThrottle<ReadyOutput>((partial) => show(asResult(partial)), UPDATE_INTERVAL_MS);
  const update = (partial: ReadyOutput) => {
    onUpdate(partial);
    updates.push(partial);
  };
  try {
    const running = tool.execute(input.toolCall.id, input.args, own.signal, update, onState);
    const output = await untilAborted(running, signal, LAST_WORDS_MS);
    onUpdate(output);
    if (!isToFit(ctx, output.content)) return output;
    return { ...output, content: await fittedContent(ctx, output.content, own.signal) };
  } finally {
    updates.close();
    own.end();
  }
}

/** Runs `afterToolCall` and merges the layers' changes into the result. An abort keeps the result as it is. */
export async function changed(
  { hooks, ctx }: Environment,
  given: ToolCallOutcome & { result: CallResult },
  signal: AbortSignal,
): Promise<{ result: CallResult; isError: boolean }> {
  const { result, isError } = given;
  if (signal.aborted) return { result, isError };
  const outcome = await untilAborted(hooks.afterToolCall(given, signal), signal).catch((thrown: unknown) => {
    if (signal.aborted) return given;
    throw thrown;
  });
  const merged = mergedResult(outcome.result, result, (thrown) => ctx.report("afterToolCall", thrown));
  return { result: merged, isError: outcome.isError === true };
}
