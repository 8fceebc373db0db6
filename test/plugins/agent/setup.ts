import type { AssistantMessageEventStream } from "@mariozechner/pi-ai";
import { createAgent } from "@scorel/agent";
import type { AgentService } from "@scorel/agent/contract";
import type { AnyEvent, AnyPlugin, Missed, Services } from "@scorel/kernel";
import { definePlugin } from "@scorel/kernel";
import messages from "@scorel/messages";
import model from "@scorel/model";
import type { ModelService } from "@scorel/model/contract";
import tools from "@scorel/tools";
import type { Tool } from "@scorel/tools/contract";
import type { KernelOptions } from "../../../kernel/kernel.ts";
import type { Clock } from "../../../plugins/agent/clock.ts";
import { type TestKernel, type TestPlugin, testKernel } from "../../harness.ts";
import { type ApiName, type ModelServer, type Script, startModelServer } from "../../model-server.ts";

export interface AgentTest extends AsyncDisposable {
  agent: AgentService;
  kernel: TestKernel["kernel"];
  session: TestKernel["session"];
  stored: TestKernel["stored"];
  heard: TestKernel["heard"];
  /** Resolves with the first event from now on that matches. */
  next(wanted: (event: any) => boolean): Promise<any>;
  /** All announced events in order, one line for each. */
  story(): Promise<string[]>;
}
interface Options {
  tools?: Tool[];
  plugins?: TestPlugin[];
  /** The table `[agent]`. Failed calls are not retried unless it sets `retries`. */
  config?: object;
  clock?: Clock;
  /** Keys of `[model]` besides those of the test server. */
  model?: { api?: ApiName; [key: string]: unknown };
  kernel?: Partial<KernelOptions>;
}

/** Opens an agent with the real model plugin, and a model server that plays this script. */
export async function openAgent(script: Script, options: Options = {}): Promise<AgentTest & { server: ModelServer }> {
  const server = await startModelServer(script);
  const config = {
    ...customModel,
    baseUrl: server.baseUrlFor(options.model?.api ?? "openai-completions"),
    ...options.model,
  };
  const opened = await open([{ plugin: model, config, origin: "test" }], options);
  return {
    ...opened,
    server,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/** Opens an agent whose model is a function, for streams that no server can produce. */
export function openAgentWith(stream: ModelService["stream"], options: Options = {}): Promise<AgentTest> {
  const service: ModelService = {
    current: () => fakeModel,
    stream,
    named: async () => service,
    choose: async () => {},
  };
  const given = { ...options.kernel, services: { model: service, ...options.kernel?.services } as Partial<Services> };
  return open([], { ...options, kernel: given });
}

async function open(first: Parameters<typeof testKernel>[0], options: Options): Promise<AgentTest> {
  const toolbox = definePlugin({ id: "toolbox", name: "Toolbox", version: "1.0.0", tools: () => options.tools ?? [] });
  const plugins = [
    messages,
    ...first,
    ...(options.tools ? [tools, toolbox] : []),
    {
      plugin: createAgent(options.clock ?? impatient),
      config: { retries: 0, ...options.config },
    },
    ...(options.plugins ?? []),
  ];
  const opened = await testKernel(plugins, options.kernel);
  return {
    agent: opened.kernel.find("agent") as AgentService,
    kernel: opened.kernel,
    session: opened.session,
    stored: opened.stored,
    heard: opened.heard,
    next: (wanted) =>
      new Promise((resolve) => {
        const undo = opened.kernel.subscribe((event) => {
          if (!wanted(event)) return;
          undo();
          resolve(event);
        });
      }),
    story: async () => tell(await opened.heard()),
    [Symbol.asyncDispose]: opened[Symbol.asyncDispose],
  };
}

/** A clock that never waits, and whose random numbers are always 0.5. */
export const impatient: Clock = { wait: async () => {}, random: () => 0.5 };

/** A tool with this `execute`. */
export function tool(name: string, run: Tool["execute"], more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `${name} for tests`,
    parameters: { type: "object", properties: {}, additionalProperties: true },
    execute: run,
    ...more,
  };
}

/** A tool result with one text. */
export const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

export const customModel = {
  type: "custom",
  api: "openai-completions",
  provider: "local",
  id: "m1",
  contextWindow: 8_000,
  maxTokens: 1_000,
};

export const fakeModel = {
  id: "fake",
  name: "Fake",
  api: "fake",
  provider: "test",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 8_000,
  maxTokens: 1_000,
} satisfies ReturnType<ModelService["current"]>;

export type { AssistantMessageEventStream };

/** Describes events, one line for each. Consecutive deltas of the same type are joined in one line. */
export function tell(events: readonly (AnyEvent | Missed)[]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    const line = lineOf(event as AnyEvent & Record<string, any>);
    const last = lines.at(-1);
    if (event.type.endsWith("_delta") && last?.startsWith(`${event.type} `))
      lines[lines.length - 1] = last + line.slice(event.type.length + 1);
    else lines.push(line);
  }
  return lines;
}

function lineOf(event: AnyEvent & Record<string, any>): string {
  switch (event.type) {
    case "message":
      return `message ${event.message.role}${marksOf(event.message)}: ${contentOf(event.message)}`;
    case "turn_start":
      return `turn_start ${event.turnIndex}`;
    case "turn_end":
      return `turn_end ${event.turnIndex} ${event.stopReason}`;
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
      return `${event.type} ${event.toolName ? `${event.toolName}: ` : ""}${event.delta}`;
    case "tool_execution_start":
      return `${event.type} ${event.toolName} ${JSON.stringify(event.args)}`;
    case "tool_execution_state":
      return `${event.type} ${event.state}`;
    case "tool_execution_end":
      return `${event.type} ${event.toolName}${event.isError ? " error" : ""}`;
    case "message_cancelled":
      return `${event.type} ${event.reason}`;
    case "prompt_submit":
      return `${event.type} ${event.prompt}`;
    case "runtime_end":
      return `${event.type} ${event.reason}`;
    case "turn_failed":
    case "turn_error":
      return `${event.type} ${event.error.code}`;
    case "session_info":
      return `${event.type} ${JSON.stringify(event.changes)}`;
    case "retry_start":
      return `${event.type} ${event.attempt}/${event.of} ${event.delayMs} ms: ${event.reason}`;
    case "retry_end":
      return `${event.type} ${event.attempt}${event.cancelled ? " cancelled" : ""}`;
    case "queue_update":
      return `${event.type} ${event.items ? event.items.length : `+${event.added?.length ?? 0}`}`;
    default:
      return event.type;
  }
}

function marksOf({ partial, meta }: { partial?: true; meta?: { retried?: true } }): string {
  return `${partial ? " partial" : ""}${meta?.retried ? " retried" : ""}`;
}

function contentOf(message: { content: string | { type: string; text?: string; name?: string }[] }): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => block.text ?? (block.name ? `<${block.name}>` : `[${block.type}]`)).join(" ");
}

/** An extension of the agent with this id and these additional fields. */
export function extension(id: string, more: Partial<AnyPlugin>): AnyPlugin {
  return { id, name: id, version: "1.0.0", needs: ["agent"], ...more };
}
