/**
 * The module `@scorel/kernel/testing`: sessions for the tests of extensions. A session runs in the test's process with Scorel's own
 * agent, tools and commands; only the model is replaced by a script, and nothing is stored.
 */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnOutcome } from "@scorel/agent/contract";
import type { Client, CommandResult, Operation, Operations } from "@scorel/host/contract";
import { type AnyEvent, type AnyPlugin, type BaseContext, createKernel, isEvent, type Kernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { failureText } from "@scorel/kit/values/failure-text";
import type { ModelRequest, Reply, ScriptedCall } from "@scorel/model/scripted";
import type { OpenRequest } from "@scorel/requests/contract";
import type { Composition } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { extensionEntries, hostHeader, shippedEntries } from "./entries.ts";
import { assertOptions, flawsOf } from "./options.ts";
import { Questions } from "./questions.ts";

export type { ModelRequest, Reply, ScriptedCall };

/** Options of `openSession`. */
export interface OpenOptions {
  /** The extensions under test. They are contained, as in any session. */
  plugins: readonly AnyPlugin[];
  /** The model's replies, one for each request. Default: none. */
  replies?: readonly Reply[];
  /** Ids of Scorel's own plugins to load, such as `coding`, in addition to `messages`, `agent`, `tools`, `commands` and `requests`. */
  use?: readonly string[];
  /** Tables of config.toml, by plugin id. */
  config?: Readonly<Record<string, unknown>>;
  /** Answers questions: the value of an option, `y` or `n`, or a text. Default: no one answers, and questions get their default answers. */
  answer?(question: OpenRequest): string | null;
  /** The working directory. Default: an empty folder that is removed at the end. */
  cwd?: string;
}

/** The result of a tool call. */
export interface ToolResult {
  tool: string;
  text: string;
  isError: boolean;
}
/** A turn that has ended. */
export interface Turn extends Pick<TurnOutcome, "reason" | "error" | "text"> {
  /** The results of its tool calls, in the order in which they ended. */
  results: ToolResult[];
}

/** A session of a test. Disposing of it stops the session and removes its temporary folder. */
export interface TestSession extends AsyncDisposable {
  readonly cwd: string;
  /** The requests sent to the model so far. */
  readonly requests: readonly ModelRequest[];
  /** Failures of plugins so far, each with its plugin, code and message. */
  readonly failures: Kernel["failures"];
  /** Sends a message and waits until its turn has ended. */
  send(text: string): Promise<Turn>;
  /** Runs a slash command: `/greet Ann`. */
  command(line: string): Promise<CommandResult>;
  /** All events so far, stored and transient, in order. */
  events(): Promise<readonly AnyEvent[]>;
  /** Runs an operation of the host, such as `get_context`. `sessionId` is added. */
  request<O extends Operation>(
    operation: O,
    params?: Partial<Operations[O]["params"]>,
  ): Promise<Operations[O]["result"]>;
}

const NEEDED = ["messages", "agent", "tools", "commands", "requests"];
const HOST = ["logs", "host"];

/**
 * Opens a session with these extensions.
 *
 * @example
 * await using session = await openSession({ plugins: [weather], replies: [toolCall("Weather", { city: "Rome" }), "Rain."] });
 * const { results } = await session.send("What is the weather in Rome?");
 */
export async function openSession(options: OpenOptions): Promise<TestSession> {
  assertOptions(options);
  const { plugins, replies = [], use = [], config, answer } = options;
  const [{ scriptedModel }, { hostHints, sessionHints }, { collectAll }] = await Promise.all([
    import("@scorel/model/scripted"),
    import("@scorel/extensions/words"),
    import("@scorel/extensions/rehearsal"),
  ]);
  const requests: ModelRequest[] = [];
  let session: BaseContext | undefined;
  const activate = (ctx: BaseContext) => {
    session = ctx;
  };
  // No extension can have this id.
  const collector = { id: "testing/collector", name: "Collector", version: "1.0.0", activate };
  const collect = () => {
    collectAll(kernel);
    if (session) collectAll(session);
    return kernel.failures.map(failureText);
  };
  const entries = [
    ...(await shippedEntries([...NEEDED, ...use], config)),
    { plugin: scriptedModel(replies, requests), origin: "the test" },
    ...(await extensionEntries(plugins, "session", config)),
    { plugin: collector, origin: "the test" },
  ];
  const composition: Composition = { sessionPlugins: async () => ({ entries, problems: [] }), kernel: () => kernel };
  const kernel: Kernel = await createKernel({
    entries: [...(await shippedEntries(HOST, config)), ...(await extensionEntries(plugins, "host", config))],
    store: createMemoryStore(hostHeader()),
    services: { composition },
    hints: { ...hostHints, child: sessionHints },
  });
  // Created last, so that a plugin that cannot be loaded leaves no folder behind.
  const own = options.cwd === undefined ? realpathSync(mkdtempSync(join(tmpdir(), "scorel-test-"))) : undefined;
  const cwd = options.cwd ?? (own as string);
  const close = async () => {
    await kernel.stop();
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  };
  try {
    const problems = [...(await flawsOf(options.plugins)), ...kernel.failures.map(failureText)];
    if (problems.length > 0) throw errors.TESTING_START({ problems });
    const client = kernel.find("host")?.connect({ clientId: "test" }) as Client;
    return await opened(client, { cwd, requests, collect, ...(answer && { answer }) }, close);
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** A reply that calls a tool. */
export function toolCall(tool: string, args: Record<string, unknown> = {}): ScriptedCall {
  return { tool, args };
}

interface Opening extends Pick<OpenOptions, "answer"> {
  cwd: string;
  requests: ModelRequest[];
  /** Collects all contributions, so that mistakes in them are reported, and returns those of host plugins. */
  collect(): string[];
}

async function opened(
  client: Client,
  { cwd, requests, collect, answer }: Opening,
  close: () => Promise<void>,
): Promise<TestSession> {
  const { sessionId } = await client.request("create_session", { cwd, unsaved: true, attending: answer !== undefined });
  await assertSound(client, sessionId, collect);
  const inSession: TestSession["request"] = (operation, params) =>
    client.request(operation, { sessionId, ...params } as never);
  const questions = answer && new Questions(inSession, answer);
  const answered = <T>(work: Promise<T>): Promise<T> => (questions ? questions.during(work) : work);
  const events: AnyEvent[] = [];
  const failures: Failure[] = [];
  await client.subscribe(sessionId, async ({ event }) => {
    events.push(event as AnyEvent);
    if (isEvent(event, "plugin_failure")) failures.push(failureOf(event));
    if (isEvent(event, "approval_request")) await questions?.answer(event);
  });
  if (questions) await inSession("attend_requests");
  const toldSince = async (from: number) => {
    await client.drained(sessionId);
    return events.slice(from);
  };
  return {
    cwd,
    requests,
    failures,
    async send(content) {
      const from = events.length;
      const { id } = await client.request("send_message", { sessionId, content });
      const { reason, text, error } = await answered(client.request("wait_turn", { sessionId, id }));
      return { reason, text, ...(error && { error }), results: resultsIn(await toldSince(from)) };
    },
    async command(line) {
      const [, name, args = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
      if (name === undefined) throw errors.TESTING_COMMAND({ line });
      return await answered(inSession("run_command", { name, args }));
    },
    events: () => toldSince(0),
    request: (operation, params) => answered(inSession(operation, params)),
    [Symbol.asyncDispose]: close,
  };
}

/** Throws TESTING_START if the session reports problems, such as mistakes in what the extensions contribute. */
async function assertSound(client: Client, sessionId: string, collect: () => string[]): Promise<void> {
  const problems = collect();
  await client.request("list_commands", { sessionId });
  await client.request("list_operations", { sessionId });
  const { notices } = await client.request("get_status", { sessionId });
  problems.push(...notices.map(({ message }) => message));
  if (problems.length > 0) throw errors.TESTING_START({ problems });
}

type Failure = Kernel["failures"][number];

function failureOf({ plugin, where, code, message, at }: Failure): Failure {
  return { plugin, where, code, message, ...(at !== undefined && { at }) };
}

function resultsIn(events: readonly AnyEvent[]): ToolResult[] {
  return events.flatMap((event) => {
    if (!isEvent(event, "message") || event.message.role !== "tool_result") return [];
    const { message } = event;
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return [{ tool: message.toolName, text, isError: message.isError }];
  });
}
