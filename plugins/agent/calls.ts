import { setMaxListeners } from "node:events";
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentTool,
  AgentToolResult,
  AgentToolUpdateCallback,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@mariozechner/pi-agent-core";
import { codeOf, lend, messageOf, sealed } from "@scorel/kernel";
import type { ReadyTool, ToolOutput } from "@scorel/tools/contract";
import { linkedTo, untilAborted } from "./abort.ts";
import type { ToolCallInput, ToolCallVerdict } from "./contract.ts";
import { tools } from "./environment.ts";
import { fittedContent, isToFit } from "./images.ts";
import { createThrottle } from "./throttle.ts";
import type { Turn } from "./turn.ts";

const updateIntervalMs = 100;
/** Milliseconds a cancelled tool has to say what it had done; one that says nothing is left behind. */
const lastWordsMs = 500;

/** The tool calls of one run: guards before, the tool itself, changes after; nothing runs after abort. */
export class Calls {
  private readonly turn: Turn;
  private readonly adapters = new Map<ReadyTool, AgentTool>();
  /** Arguments that passed the guards, checked; by call id. */
  private readonly checked = new Map<string, unknown>();
  /** What a tool itself called an error: the library knows only thrown ones. */
  private readonly failures = new Set<string>();

  constructor(turn: Turn) {
    this.turn = turn;
    // Every call of a reply listens, and a reply may ask for any number of them.
    setMaxListeners(0, turn.signal);
  }

  /** The tools as they are now, in the library's shape. */
  tools(): AgentTool[] {
    return tools(this.turn.env.ctx).map((tool) => {
      const adapter = this.adapters.get(tool) ?? this.adapt(tool);
      this.adapters.set(tool, adapter);
      return adapter;
    });
  }

  /** Runs the guards; the arguments they leave are checked again before the tool gets them. */
  async before(call: BeforeToolCallContext): Promise<BeforeToolCallResult | undefined> {
    const { env, signal } = this.turn;
    // A layer may change its copy of the call; what is judged and run is the model's own.
    const own = { toolCall: structuredClone(call.toolCall), context: viewOf(call.context) };
    const input = { ...call, ...own } as unknown as ToolCallInput;
    try {
      signal.throwIfAborted();
      const verdict = await untilAborted(env.hooks.beforeToolCall(input, signal), signal);
      signal.throwIfAborted();
      if (verdict?.block) return blocked(verdict);
    } catch (thrown) {
      return { block: true, reason: refusal(thrown, signal) };
    }
    const tool = env.ctx.find("tools")?.get(call.toolCall.name);
    if (!tool) return { block: true, reason: `The tool "${call.toolCall.name}" is gone.` };
    // A copy: a layer that kept the arguments cannot change them after they were approved.
    const args = structuredClone(input.args);
    this.checked.set(call.toolCall.id, tool.validate(args));
    return this.approve(sealed({ ...(call as unknown as ToolCallInput), context: input.context, args }));
  }

  /** Asks every guard about the final arguments, which are for none of them to change; one that fails denies. */
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

  /** Joins what the layers change into the result; a result that is there is kept on abort. */
  async after(call: AfterToolCallContext): Promise<AfterToolCallResult | undefined> {
    const { env, signal } = this.turn;
    const isError = call.isError || this.failures.has(call.toolCall.id);
    if (signal.aborted) return { isError };
    const result = call.result as ToolOutput;
    const args = this.checked.get(call.toolCall.id) ?? call.args;
    const input = { ...call, context: viewOf(call.context) } as unknown as ToolCallInput;
    const outcome = await untilAborted(
      env.hooks.afterToolCall({ ...input, args, result, isError }, signal),
      signal,
    ).catch((thrown: unknown) => {
      if (signal.aborted) return { result, isError };
      throw thrown;
    });
    const details = this.storable(outcome.result.details, result.details);
    return { ...outcome.result, details, isError: outcome.isError === true };
  }

  /** A layer may answer details that have no JSON form: they must not cost the result its place in the log. */
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
      // The tool checks its own arguments; the library's checker, which is large to load, has nothing left to do.
      parameters: {} as AgentTool["parameters"],
      prepareArguments: (raw) => {
        const prepared = tool.prepareArguments(raw);
        tool.validate(prepared);
        return prepared as never;
      },
      execute: (id, params, _signal, onUpdate) => this.execute(tool, id, params, onUpdate),
    };
  }

  private async execute(
    tool: ReadyTool,
    id: string,
    params: unknown,
    onUpdate: AgentToolUpdateCallback | undefined,
  ): Promise<AgentToolResult<unknown>> {
    const { signal } = this.turn;
    signal.throwIfAborted();
    const own = linkedTo(signal);
    const updates = createThrottle<ToolOutput>((partial) => onUpdate?.(asResult(partial)), updateIntervalMs);
    try {
      const args = this.checked.has(id) ? this.checked.get(id) : params;
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

/** The round as layers may look at it: the library goes on with its own, and a long conversation is copied for those only who read it. */
function viewOf({ systemPrompt, messages, tools = [] }: BeforeToolCallContext["context"]): object {
  return Object.freeze({
    systemPrompt,
    get messages() {
      return lend(messages);
    },
    get tools() {
      return lend(tools);
    },
  });
}

function asResult({ content, details, terminate }: ToolOutput): AgentToolResult<unknown> {
  return { content, details, ...(terminate !== undefined && { terminate }) };
}

function blocked({ reason }: ToolCallVerdict): BeforeToolCallResult {
  return { block: true, reason: reason ?? "The call was refused." };
}

/** A guard that failed denies, in its own words; after an abort nothing runs. */
function refusal(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `Not run. ${messageOf(signal.reason)}`;
  return codeOf(thrown) === "HOOK_CRITICAL" ? messageOf(thrown) : `A guard failed: ${messageOf(thrown)}`;
}
