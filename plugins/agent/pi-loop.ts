/**
 * The only file of the agent that runs pi-agent-core, with everything that works around the library, each with its reason.
 * test/plugins/agent/pi-loop.test.ts checks every assumption about the library: run it first to try a newer version.
 * The command's bundle also changes the library: see `lazyValidation` in plugins/model/bundle.mjs.
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
  /** The last message of the conversation, which is the user's. */
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
  /**
   * Calls the model. The stream must end with one `done` or `error`, at once on abort, and `done` must be a complete
   * reply: the library runs the calls of a reply that was cut at its limit, or whose broken JSON was repaired, and calls
   * with the same id twice. See reply/guard.ts.
   */
  stream(request: Context): AssistantMessageEventStream;
  /** Returns waiting messages that are due: before the next model call, or when the loop would rest. */
  waiting(resting: boolean): Promise<AgentMessage[]>;
  /**
   * Takes the library's events, one after the other; the library waits for each. Results are stored at
   * `tool_execution_end`, when each tool ends. The `toolResult` messages that follow the whole batch are ignored.
   */
  hear(event: AgentEvent): Promise<void> | void;
}

/**
 * Runs the loop until it rests.
 *
 * This function of the library is used rather than its class `Agent`, which copies prompt, tools and model when a run
 * starts and forgets events of a failed run, and rather than `agentLoop`, where an error becomes an unhandled rejection
 * and readers wait forever. It rejects with errors of our own functions; the turn reports those.
 *
 * The library does not watch the abort signal while it waits. Everything it waits for is ours and ends by itself on
 * abort: the stream by the guard (reply/guard.ts), hooks and tools by `untilAborted`.
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
    // Tools wait for each other by what they access; the library knows only all at once or one by one.
    toolExecution: "parallel",
    async transformContext(library) {
      // Model and tools may change between two rounds. The library reads both again for each round, from these objects.
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
    // The library runs the call if this does not block it, even when the turn was aborted meanwhile.
    async beforeToolCall({ toolCall, context }) {
      const reason = await parts.call(toolCall.id).approve(viewOf(context));
      return reason === undefined ? undefined : { block: true, reason };
    },
    // The library knows only thrown errors, and a thrown error loses its details. So tools never throw, and this says which failed.
    afterToolCall: async ({ toolCall }) => ({ isError: parts.call(toolCall.id).failed }),
    // After an abort during a tool the library would call the model once more.
    shouldStopAfterTurn: () => parts.signal.aborted,
    // Its queues are lost with the process. Ours are in the log.
    getSteeringMessages: () => parts.waiting(false),
    getFollowUpMessages: () => parts.waiting(true),
  };
  const stream = (_model: Model<Api>, asked: Context) =>
    parts.stream({ ...asked, systemPrompt, tools: parts.offered() as unknown as NonNullable<Context["tools"]> });
  await runAgentLoopContinue(context, config, parts.hear, parts.signal, stream);
}

/**
 * Replaces the library's messages with those of the log, which alone says what the conversation is: it may have been
 * compacted, rewound or added to. The library keeps using this array, so it is changed in place.
 */
export function replaceMessages(library: AgentMessage[], messages: readonly AgentMessage[]): void {
  library.length = 0;
  for (const message of messages) library.push(message);
}

/** Tools as the library wants them, made once for each tool. */
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
   * The library validates arguments against `parameters` before `beforeToolCall`, silently turns `null` into 0 or "",
   * knows neither defaults nor transforms, and loads its validator for that. With an empty schema it lets everything
   * pass; the call itself validates once (calls/call.ts), and the request describes the tools with their real schemas.
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
