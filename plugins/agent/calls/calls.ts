import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentTool,
  AgentToolResult,
  AgentToolUpdateCallback,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@mariozechner/pi-agent-core";
import { codeOf, messageOf } from "@scorel/kernel";
import { copyPlain, frozenCopy } from "@scorel/kit/values/copy";
import type { ReadyTool, ToolOutput } from "@scorel/tools/contract";
import { linkedTo, untilAborted } from "../abort.ts";
import type { ToolCallInput, ToolCallVerdict } from "../contract.ts";
import { tools } from "../environment.ts";
import { errors } from "../errors.ts";
import { fittedContent, isToFit } from "../messages/content.ts";
import type { UnreadableArguments } from "../reply/flaws.ts";
import { createThrottle } from "../reply/throttle.ts";
import type { Turn } from "../turn/turn.ts";
import { plainArguments } from "./call-arguments.ts";
import { CallLimit } from "./call-limit.ts";

const updateIntervalMs = 100;
/** Milliseconds that a cancelled tool gets to return what it has done so far. */
const lastWordsMs = 500;
/** Characters of unreadable arguments that are quoted back to the model. */
const longestExcerpt = 600;

/**
 * Runs the tool calls of one turn: hooks and guards, the tool itself, then changes to its result. Nothing starts after
 * an abort.
 */
export class Calls {
  private readonly turn: Turn;
  private readonly adapters = new Map<ReadyTool, AgentTool>();
  /** Validated calls, frozen, by call id: the value that guards see and the tool gets. */
  private readonly validated = new Map<string, ToolCallInput>();
  /** Frozen copies of replies for hooks, so that each reply is copied once for all of its calls. */
  private readonly replies = new WeakMap<object, ToolCallInput["assistantMessage"]>();
  private readonly limit: CallLimit;
  private readonly onValidated: (id: string, args: unknown) => void;
  /** Parse errors of tool-call arguments, by call id. */
  private readonly unreadable = new Map<string, UnreadableArguments>();
  /** Ids of calls whose tool returned `isError`. pi-agent-core only knows errors that are thrown. */
  private readonly failures = new Set<string>();

  constructor(turn: Turn, onValidated: (id: string, args: unknown) => void) {
    this.turn = turn;
    this.onValidated = onValidated;
    this.limit = new CallLimit(turn.env.ctx.config.callsPerReply);
    // Every concurrent call may add listeners, so Node's leak warning would be false.
    setMaxListeners(0, turn.signal);
  }

  /** The current tools, in the shape that pi-agent-core expects. */
  tools(): AgentTool[] {
    return tools(this.turn.env.ctx).map((tool) => {
      const adapter = this.adapters.get(tool) ?? this.adapt(tool);
      this.adapters.set(tool, adapter);
      return adapter;
    });
  }

  /**
   * Prepares and approves one call: runs `beforeToolCall`, validates the arguments, freezes the call and asks the
   * guards. Returns a refusal or undefined. Throws when the arguments are invalid; pi-agent-core sends that error to
   * the model.
   */
  async before({
    assistantMessage,
    toolCall,
    context,
  }: BeforeToolCallContext): Promise<BeforeToolCallResult | undefined> {
    const { id, name } = toolCall;
    this.limit.check(assistantMessage, toolCall);
    const flaw = this.unreadable.get(id);
    if (flaw) throw errors.AGENT_CALL_JSON({ tool: name, reason: flaw.reason, text: excerpt(flaw.text) });
    const tool = this.tool(name);
    const proposed = plainArguments(name, tool.prepareArguments(toolCall.arguments));
    const valid = tool.validate(proposed);
    const input = {
      assistantMessage: this.replyOf(assistantMessage),
      toolCall: structuredClone(toolCall),
      args: structuredClone(proposed),
      context: viewOf(context),
    } as ToolCallInput;
    const refused = await this.changed(input);
    if (refused) return refused;
    const left = plainArguments(name, input.args);
    // Unchanged arguments are not validated again: the schema's transforms would run twice.
    const args = isDeepStrictEqual(left, proposed) ? valid : this.tool(name).validate(left);
    const call = frozenCopy({
      ...input,
      toolCall: { ...toolCall, arguments: args },
      args,
    }) as ToolCallInput;
    this.validated.set(id, call);
    this.onValidated(id, args);
    return this.approve(call);
  }

  /**
   * Marks a call whose arguments could not be parsed. `before` then throws AGENT_CALL_JSON so that the model can write
   * them again.
   */
  refuse(id: string, flaw: UnreadableArguments): void {
    this.unreadable.set(id, flaw);
  }

  /** Runs `beforeToolCall`: a layer may change the arguments in `input` or block the call. */
  private async changed(input: ToolCallInput): Promise<BeforeToolCallResult | undefined> {
    const { env, signal } = this.turn;
    try {
      signal.throwIfAborted();
      const verdict = await untilAborted(env.hooks.beforeToolCall(input, signal), signal);
      signal.throwIfAborted();
      return verdict?.block ? blocked(verdict) : undefined;
    } catch (thrown) {
      return { block: true, reason: refusal(thrown, signal) };
    }
  }

  /** Asks every guard about the final, frozen arguments. A guard that throws refuses the call. */
  private async approve(input: ToolCallInput): Promise<BeforeToolCallResult | undefined> {
    const { env, signal } = this.turn;
    try {
      const call = await untilAborted(env.hooks.approveToolCall(input, signal), signal);
      signal.throwIfAborted();
      return call.refused && blocked(call.refused);
    } catch (thrown) {
      return { block: true, reason: refusal(thrown, signal) };
    }
  }

  /** Throws AGENT_TOOL_GONE when the tool was removed while the call waited. */
  private tool(name: string): ReadyTool {
    const tool = this.turn.env.ctx.find("tools")?.get(name);
    if (!tool) throw errors.AGENT_TOOL_GONE({ tool: name });
    return tool;
  }

  private replyOf(message: BeforeToolCallContext["assistantMessage"]): ToolCallInput["assistantMessage"] {
    const known = this.replies.get(message);
    if (known) return known;
    const reply = frozenCopy(message) as unknown as ToolCallInput["assistantMessage"];
    this.replies.set(message, reply);
    return reply;
  }

  /** Runs `afterToolCall` and merges the layers' changes into the result. An abort keeps the result as it is. */
  async after(call: AfterToolCallContext): Promise<AfterToolCallResult | undefined> {
    const { env, signal } = this.turn;
    const { id } = call.toolCall;
    const isError = call.isError || this.failures.delete(id);
    const input = { ...this.callOf(id), context: viewOf(call.context) };
    this.validated.delete(id);
    if (signal.aborted) return { isError };
    const result = call.result as ToolOutput;
    const outcome = await untilAborted(env.hooks.afterToolCall({ ...input, result, isError }, signal), signal).catch(
      (thrown: unknown) => {
        if (signal.aborted) return { result, isError };
        throw thrown;
      },
    );
    const details = this.storable(outcome.result.details, result.details);
    return { ...outcome.result, details, isError: outcome.isError === true };
  }

  private callOf(id: string): ToolCallInput {
    return this.validated.get(id) as ToolCallInput;
  }

  /**
   * Keeps the tool's own details when a layer's `details` cannot be serialized, because the result could not be stored
   * then.
   */
  private storable(details: unknown, original: unknown): unknown {
    if (details === original) return details;
    try {
      JSON.stringify(details);
      return details;
    } catch (thrown) {
      this.turn.env.ctx.report("afterToolCall", thrown);
      return original;
    }
  }

  private adapt(tool: ReadyTool): AgentTool {
    return {
      name: tool.name,
      label: tool.label,
      description: tool.description,
      // An empty schema keeps pi-agent-core from loading its validator. Tools validate their own arguments in `before`.
      parameters: {} as AgentTool["parameters"],
      execute: (id, _params, _signal, onUpdate) => this.execute(tool, id, onUpdate),
    };
  }

  private async execute(
    tool: ReadyTool,
    id: string,
    onUpdate: AgentToolUpdateCallback | undefined,
  ): Promise<AgentToolResult<unknown>> {
    const { signal } = this.turn;
    signal.throwIfAborted();
    const own = linkedTo(signal);
    const updates = createThrottle<ToolOutput>((partial) => onUpdate?.(asResult(partial)), updateIntervalMs);
    try {
      const { args } = this.callOf(id);
      const output = await untilAborted(tool.execute(id, args, own.signal, updates.push), signal, lastWordsMs);
      if (output.isError) this.failures.add(id);
      const { ctx } = this.turn.env;
      if (!isToFit(ctx, output.content)) return asResult(output);
      return asResult({ ...output, content: await fittedContent(ctx, output.content, own.signal) });
    } finally {
      updates.close();
      own.end();
    }
  }
}

/** A read-only view of the round for hooks. Messages and tools are copied only when a layer reads them. */
function viewOf({ systemPrompt, messages, tools = [] }: BeforeToolCallContext["context"]): ToolCallInput["context"] {
  return Object.freeze({
    systemPrompt,
    get messages() {
      return copyPlain(messages);
    },
    get tools() {
      return copyPlain(tools);
    },
  });
}

function asResult({ content, details, terminate }: ToolOutput): AgentToolResult<unknown> {
  return { content, details, ...(terminate !== undefined && { terminate }) };
}

function blocked({ reason }: ToolCallVerdict): BeforeToolCallResult {
  return { block: true, reason: reason ?? "The call was refused." };
}

/** Keeps the start and the end of a long text: errors in arguments are mostly at the end. */
function excerpt(text: string): string {
  if (text.length <= longestExcerpt) return text;
  const half = longestExcerpt / 2;
  return `${text.slice(0, half)} [… ${text.length - longestExcerpt} characters …] ${text.slice(-half)}`;
}

/** Returns the reason for a refusal, from the abort or from the guard that failed. */
function refusal(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `Not run. ${messageOf(signal.reason)}`;
  return codeOf(thrown) === "HOOK_CRITICAL" ? messageOf(thrown) : `A guard failed: ${messageOf(thrown)}`;
}
