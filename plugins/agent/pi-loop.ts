/**
 * The only file of the agent that runs pi-agent-core. It contains all workarounds for the library, each with its reason.
 * test/plugins/agent/pi-loop.test.ts checks every assumption about the library: run it first when you try a newer version. The command's
 * bundle also changes the library: see `lazyValidation` in plugins/model/bundle.mjs.
 */
import {
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  type AgentTool,
  type AgentContext as LibraryContext,
  runAgentLoopContinue,
} from "@mariozechner/pi-agent-core";
import type { Api, AssistantMessageEventStream, Context, Message, Model } from "@mariozechner/pi-ai";
import { copyPlain } from "@scorel/kit/values/copy";
import type { ReadyTool } from "@scorel/tools/contract";
import type { Call } from "./calls/call.ts";
import type { ToolCallInput } from "./contract.ts";

/**
 * The agent's side of the library's loop. Only `approve` may reject: the library turns that into the call's result.
 * A rejection of any other function would end the loop while tools are still running.
 */
export interface LoopParts {
  readonly signal: AbortSignal;
  /** The last message of the conversation, which is a user's message. */
  readonly last: AgentMessage[];
  readonly systemPrompt: string;
  model(): Model<Api>;
  tools(): readonly ReadyTool[];
  /** The tools that a request describes to the model. */
  offered(): Pick<ReadyTool, "name" | "description" | "parameters">[];
  call(id: string): Pick<Call, "approve" | "run" | "failed">;
  /** Returns the messages of the next model call. `library` is the library's own list. */
  conversation(library: AgentMessage[]): Promise<AgentMessage[]>;
  /** Returns the system prompt and the messages in the form that providers accept. */
  request(messages: AgentMessage[]): Promise<{ systemPrompt: string; messages: Message[] }>;
  /** Whether the turn must end rather than call the model again. */
  isAtLimit(): boolean;
  /**
   * Calls the model. The stream must end with one `done` or `error`, at once on abort, and `done` must be a complete
   * reply, because the library would also run calls of a reply that was cut at its limit, calls whose broken JSON was repaired, and both of
   * two calls with the same id. See reply/guard.ts.
   */
  stream(request: Context): AssistantMessageEventStream;
  /** Returns the waiting messages that are due before the next model call or, with `resting`, before the loop ends. */
  waiting(resting: boolean): Promise<AgentMessage[]>;
  /**
   * Handles the library's events, one after the other; the library waits for each. Results are stored at `tool_execution_end`, when each tool
   * ends. The `toolResult` messages after the whole batch are ignored.
   */
  hear(event: AgentEvent): Promise<void> | void;
}

/**
 * Runs the loop until it rests.
 *
 * This function of the library is used rather than its class `Agent`, which copies prompt, tools and model when a run
 * starts and forgets events of a failed run, and rather than `agentLoop`, where an error becomes an unhandled rejection
 * and readers wait forever. It rejects with errors of the functions in `parts`; the turn reports those.
 *
 * The library does not check the abort signal while it waits. Everything that it waits for therefore ends by itself on abort: the stream
 * by the guard (reply/guard.ts), hooks and tools by `untilAborted`.
 */
export async function runPiLoop(parts: LoopParts): Promise<void> {
  const adapted = new ToolAdapters(parts);
  // The library refuses to continue an empty conversation, or one that ends with a reply. The log replaces these messages.
  const context: LibraryContext = {
    systemPrompt: parts.systemPrompt,
    messages: parts.last,
    tools: adapted.current(),
  };
  // The library copies the system prompt once, when a run starts; a layer may change it for each request.
  let { systemPrompt } = parts;
  const config: AgentLoopConfig = {
    model: parts.model(),
    // Plugin `tools` lets tools wait for each other depending on what they access; the library only knows "all at once" and "one by one".
    toolExecution: "parallel",
    async transformContext(library) {
      // Model and tools may change between two rounds. For each round, the library reads both from these objects again.
      config.model = parts.model();
      const messages = await parts.conversation(library);
      // After the layers of beforeContext, which may have added tools: the model can call what this request describes.
      context.tools?.splice(0, Infinity, ...adapted.current());
      return messages;
    },
    async convertToLlm(given) {
      const request = await parts.request(given);
      systemPrompt = request.systemPrompt;
      return request.messages;
    },
    // The library runs the call unless this function blocks it, even if the turn was aborted in the meantime.
    async beforeToolCall({ toolCall, context }) {
      const reason = await parts.call(toolCall.id).approve(viewOf(context));
      return reason === undefined ? undefined : { block: true, reason };
    },
    // The library only knows thrown errors, which lose their details. So tools never throw, and this function tells which have failed.
    afterToolCall: async ({ toolCall }) => ({ isError: parts.call(toolCall.id).failed }),
    // After an abort during a tool the library would call the model once more.
    shouldStopAfterTurn: ({ toolResults }) => parts.signal.aborted || (toolResults.length > 0 && parts.isAtLimit()),
    // The library's own queues are lost with the process, so messages are taken from the queue in the log.
    getSteeringMessages: () => parts.waiting(false),
    getFollowUpMessages: () => parts.waiting(true),
  };
  const stream = (_model: Model<Api>, asked: Context) =>
    parts.stream({ ...asked, systemPrompt, tools: parts.offered() as unknown as NonNullable<Context["tools"]> });
  await runAgentLoopContinue(context, config, parts.hear, parts.signal, stream);
}

/**
 * Replaces the library's messages by those of the log, which alone defines the conversation: it may have been compacted, rewound or
 * extended. The library keeps using its array, so the array is modified in place.
 */
export function replaceMessages(library: AgentMessage[], messages: readonly AgentMessage[]): void {
  library.length = 0;
  for (const message of messages) library.push(message);
}

/** Converts tools to the library's form, once for each tool. */
class ToolAdapters {
  private readonly parts: LoopParts;
  private readonly known = new Map<ReadyTool, AgentTool>();

  constructor(parts: LoopParts) {
    this.parts = parts;
  }

  current(): AgentTool[] {
    return this.parts.tools().map((tool) => {
      const adapted = this.known.get(tool) ?? this.adapt(tool);
      this.known.set(tool, adapted);
      return adapted;
    });
  }

  /**
   * The library validates arguments against `parameters` before `beforeToolCall`, silently turns `null` into 0 or "", supports neither
   * defaults nor transforms, and has to load its validator for that. An empty schema makes it accept everything. The call itself
   * validates the arguments (calls/call.ts), and the request describes the tools with their real schemas.
   */
  private adapt({ name, label, description }: ReadyTool): AgentTool {
    return {
      name,
      label,
      description,
      parameters: {} as AgentTool["parameters"],
      execute: (id, _params, _signal, onUpdate) => this.parts.call(id).run((partial) => onUpdate?.(partial)),
    };
  }
}

/** A read-only view of the round for hooks. Messages and tools are copied only when a layer reads them. */
function viewOf({ systemPrompt, messages, tools = [] }: LibraryContext): ToolCallInput["context"] {
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
