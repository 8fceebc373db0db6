import { noUsage } from "@scorel/kit/session/usage";
import type { AssistantMessage, ToolResultMessage } from "@scorel/messages/contract";
import type { ReadyOutput, ReadyTool } from "@scorel/tools/contract";
import type { ToolCallInput, TypedCall, TypedCallOptions } from "../contract.ts";
import { type Environment, offeredTools, redaction, systemPrompt } from "../environment.ts";
import { errors } from "../errors.ts";
import { storable } from "../messages/before-store.ts";
import { toAgentMessages } from "../messages/convert.ts";
import { jsonForm } from "./arguments.ts";
import { asResult, type CallResult, errorResult, resultMessage } from "./result.ts";
import { changed, execute, judge, validated } from "./steps.ts";

/**
 * Runs a tool for a person who has typed the call, through the same layers and guards as calls of the model. The returned result is safe to
 * store. Throws AGENT_NO_TOOL, AGENT_CALL_REFUSED, and errors about the arguments. An error of the tool becomes the result.
 */
export async function callTyped(
  env: Environment,
  call: TypedCall,
  options: TypedCallOptions,
): Promise<ToolResultMessage> {
  const { signal } = options;
  const tool = () => toolOf(env, call.tool);
  const input = await validated(env, proposalOf(env, call, options), { tool, signal });
  const refusal = typeof input === "string" ? input : (await judge(env, input, signal))?.reason;
  signal.throwIfAborted();
  if (typeof input === "string" || refusal !== undefined)
    throw errors.AGENT_CALL_REFUSED({ tool: call.tool, reason: refusal ?? "" });
  const ready = tool();
  await options.onStart?.();
  const { result, isError } = await run(env, { tool: ready, input }, options);
  const proposed = { type: "toolCall" as const, id: call.toolCallId, name: call.tool, arguments: call.args };
  const around = { tools: [{ name: call.tool }], redaction: redaction(env.ctx), ran: jsonForm(input.args) };
  return storable(env, resultMessage(proposed, { ...result, isError }, around));
}

function toolOf({ ctx }: Environment, name: string): ReadyTool {
  const tool = ctx.find("tools")?.get(name);
  if (!tool) throw errors.AGENT_NO_TOOL({ tool: name });
  return tool;
}

/** The call in the form that layers receive. Since no reply contains it, they get a made-up reply with only this call. */
function proposalOf(
  env: Environment,
  { toolCallId, tool, args }: TypedCall,
  { typed, typedBy }: TypedCallOptions,
): Omit<ToolCallInput, "args"> {
  const { ctx } = env;
  const toolCall = { type: "toolCall" as const, id: toolCallId, name: tool, arguments: args };
  const { provider, id } = ctx.model.current();
  const assistantMessage: AssistantMessage = {
    role: "assistant",
    content: [toolCall],
    api: "",
    provider,
    model: id,
    usage: noUsage(),
    stopReason: "toolUse",
    timestamp: Date.now(),
  };
  const messages = toAgentMessages(ctx.session.buildContext());
  const tools = offeredTools(ctx) as unknown as NonNullable<ToolCallInput["context"]["tools"]>;
  return { assistantMessage, toolCall, context: { systemPrompt: systemPrompt(ctx), messages, tools }, typed, typedBy };
}

async function run(
  env: Environment,
  call: { tool: ReadyTool; input: ToolCallInput },
  { signal, onUpdate }: TypedCallOptions,
): Promise<{ result: CallResult; isError: boolean }> {
  const { value } = redaction(env.ctx);
  const show = (partial: CallResult) => onUpdate?.(value(partial));
  const failed = (thrown: unknown) => ({ result: errorResult(thrown), isError: true });
  const executed = await execute(env, call, { signal, onUpdate: () => {}, show }).then(ended, failed);
  return changed(env, { ...call.input, ...executed }, signal).catch(failed);
}

function ended(output: ReadyOutput): { result: CallResult; isError: boolean } {
  return { result: asResult(output), isError: output.isError === true };
}
