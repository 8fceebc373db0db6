/**
 * Tests the assumptions of plugins/agent/pi-loop.ts about pi-agent-core with the library alone; nothing of the agent
 * runs here. When one fails with a newer version, look in pi-loop.ts for the comment that gives this assumption as its
 * reason. The code there may be unnecessary or broken.
 */
import {
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  type AgentTool,
  type AgentContext as LibraryContext,
  runAgentLoopContinue,
} from "@mariozechner/pi-agent-core";
import {
  type AssistantMessage,
  type AssistantMessageEventStream,
  type Context,
  createAssistantMessageEventStream,
  type ToolCall,
} from "@mariozechner/pi-ai";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { fakeModel } from "./setup.ts";

type Content = AssistantMessage["content"];
type Stop = AssistantMessage["stopReason"];

interface Drive extends Partial<Omit<AgentLoopConfig, "model">> {
  replies: (AssistantMessage | (() => AssistantMessageEventStream))[];
  tools?: AgentTool[];
  messages?: AgentMessage[];
  control?: AbortController;
  onEvent?: (event: AgentEvent) => void | Promise<void>;
  /** Receives the configuration object that the library uses. */
  onConfig?: (config: AgentLoopConfig) => void;
  context?: LibraryContext;
}

/** Runs the library with these replies. Returns a line for each event, and the input of each model call. */
async function drive({ replies, tools = [], messages = [user("go")], control, onEvent, onConfig, ...more }: Drive) {
  const story: string[] = [];
  const asked: (Context & { model: string })[] = [];
  const context = more.context ?? { systemPrompt: "first", messages, tools };
  const config: AgentLoopConfig = { model: fakeModel, convertToLlm: (all) => [...all] as Context["messages"], ...more };
  onConfig?.(config);
  const stream = (model: typeof fakeModel, given: Context) => {
    asked.push({ ...given, messages: [...given.messages], tools: [...(given.tools ?? [])], model: model.id });
    const next = replies.shift() ?? reply([{ type: "text", text: "end" }]);
    return typeof next === "function" ? next() : streamOf(next);
  };
  const hear = async (event: AgentEvent) => {
    story.push(lineOf(event));
    await onEvent?.(event);
  };
  const added = await runAgentLoopContinue(context, config, hear, control?.signal, stream as never);
  return { story, asked, added, context };
}

const user = (text: string): AgentMessage => ({ role: "user", content: text, timestamp: 0 });

function reply(content: Content, stopReason: Stop = content.some(isCall) ? "toolUse" : "stop"): AssistantMessage {
  const { api, provider, id: model } = fakeModel;
  return { role: "assistant", content, api, provider, model, usage: noUsage(), stopReason, timestamp: 0 };
}

const isCall = ({ type }: Content[number]) => type === "toolCall";
const call = (id: string, args: object = {}, name = "tool"): ToolCall =>
  ({ type: "toolCall", id, name, arguments: args }) as ToolCall;
const calls = (...all: ToolCall[]) => reply(all);

function streamOf(message: AssistantMessage): AssistantMessageEventStream {
  const stream = createAssistantMessageEventStream();
  stream.push({ type: "start", partial: message });
  const { stopReason } = message;
  if (stopReason === "error" || stopReason === "aborted")
    stream.push({ type: "error", reason: stopReason, error: message });
  else stream.push({ type: "done", reason: stopReason, message });
  return stream;
}

/** A tool that adds the calls that it runs to `ran`. */
function noting(ran: string[]): AgentTool {
  return tool(async (id) => {
    ran.push(id);
    return says("done");
  });
}

function tool(execute: AgentTool["execute"], more: Partial<AgentTool> = {}): AgentTool {
  return { name: "tool", label: "", description: "", parameters: {} as AgentTool["parameters"], execute, ...more };
}

const says = (text: string) => ({ content: [{ type: "text" as const, text }], details: { kept: true } });

function lineOf(event: AgentEvent): string {
  if ("message" in event && event.type !== "turn_end") return `${event.type} ${event.message.role}`;
  if (event.type === "tool_execution_end") return `${event.type} ${event.toolCallId}${event.isError ? " error" : ""}`;
  return "toolCallId" in event ? `${event.type} ${event.toolCallId}` : event.type;
}

/** Collects the texts of all results at `tool_execution_end`. */
function resultsHeard() {
  const results: { text: string; details: unknown; isError: boolean }[] = [];
  const onEvent = (event: AgentEvent) => {
    if (event.type !== "tool_execution_end") return;
    const { result, isError } = event;
    results.push({ text: result.content[0].text, details: result.details, isError });
  };
  return { results, onEvent };
}

describe("the order of its events:", () => {
  it("tools end when they end; their result messages follow after the last, in the order of the calls", async () => {
    let release = () => {};
    const bEnded = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tool(async (id, _params, _signal, onUpdate) => {
      if (id === "a") await bEnded;
      onUpdate?.(says("so far"));
      return says("done");
    });
    const onEvent = (event: AgentEvent) => {
      if (event.type === "tool_execution_end" && event.toolCallId === "b") release();
    };
    const { story } = await drive({ replies: [calls(call("a"), call("b"))], tools: [slow], onEvent });
    expect(story).toEqual([
      "agent_start",
      "turn_start",
      "message_start assistant",
      "message_end assistant",
      "tool_execution_start a",
      "tool_execution_start b",
      "tool_execution_update b",
      "tool_execution_end b",
      "tool_execution_update a",
      "tool_execution_end a",
      "message_start toolResult",
      "message_end toolResult",
      "message_start toolResult",
      "message_end toolResult",
      "turn_end",
      "turn_start",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
    ]);
  });

  it("messages that it starts from are not announced", async () => {
    const { story } = await drive({ replies: [], messages: [user("one"), user("two")] });
    expect(story).not.toContain("message_start user");
  });

  it("a listener's promise is waited for, and its rejection ends the loop without agent_end", async () => {
    const heard: string[] = [];
    const onEvent = async (event: AgentEvent) => {
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(event.type);
      if (event.type === "message_end") throw new Error("disk full");
    };
    await expect(drive({ replies: [], onEvent })).rejects.toThrow("disk full");
    expect(heard).toEqual(["agent_start", "turn_start", "message_start", "message_end"]);
  });
});

describe("the conversation:", () => {
  it("an empty one, or one that ends with a reply, is refused", async () => {
    await expect(drive({ replies: [], messages: [] })).rejects.toThrow("no messages");
    const answered = [user("go"), reply([]) as AgentMessage];
    await expect(drive({ replies: [], messages: answered })).rejects.toThrow("role: assistant");
  });

  it("its own array goes to transformContext, and it continues with what stands in there then", async () => {
    const lengths: number[] = [];
    const { asked, context } = await drive({
      replies: [calls(call("a"))],
      tools: [tool(async () => says("done"))],
      async transformContext(library) {
        lengths.push(library.length);
        library.splice(0, Infinity, user("from the log"));
        return [...library, user("for this call only")];
      },
    });
    expect(asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ["from the log", "for this call only"],
      ["from the log", "for this call only"],
    ]);
    // One message of the log, the reply and the result; messages that were added for one call are not kept.
    expect(lengths).toEqual([1, 3]);
    expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("the system prompt is copied at the start; model and tools are read again for each round", async () => {
    const context: LibraryContext = { systemPrompt: "first", messages: [user("go")], tools: [] };
    let config: AgentLoopConfig | undefined;
    let round = 0;
    const { asked } = await drive({
      replies: [calls(call("a"))],
      context,
      onConfig: (used) => {
        config = used;
      },
      async transformContext(messages) {
        round++;
        context.systemPrompt = `prompt ${round}`;
        Object.assign(config as AgentLoopConfig, { model: { ...fakeModel, id: `model ${round}` } });
        context.tools?.splice(
          0,
          Infinity,
          tool(async () => says("done"), { label: `tool ${round}` }),
        );
        return messages;
      },
    });
    const labels = (tools: Context["tools"]) => tools?.map((it) => (it as AgentTool).label);
    expect(asked.map(({ systemPrompt, model, tools }) => [systemPrompt, model, labels(tools)])).toEqual([
      ["first", "model 1", ["tool 1"]],
      ["first", "model 2", ["tool 2"]],
    ]);
  });

  it("waiting messages are asked for at the start and after each round, follow-ups when it would rest", async () => {
    const story: string[] = [];
    const note = (what: string) => async () => {
      story.push(what);
      return [];
    };
    await drive({
      replies: [calls(call("a"))],
      tools: [tool(async () => says("done"))],
      getSteeringMessages: note("steering"),
      getFollowUpMessages: note("follow-up"),
      onEvent: ({ type }) => void (type === "turn_end" && story.push(type)),
    });
    expect(story).toEqual(["steering", "turn_end", "steering", "turn_end", "steering", "follow-up"]);
  });
});

describe("the arguments of a call:", () => {
  it("are validated against `parameters` before beforeToolCall, which may turn null into 0", async () => {
    const seen: unknown[] = [];
    const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as never;
    const { results, onEvent } = resultsHeard();
    await drive({
      replies: [calls(call("a", { n: null }), call("b", { n: "many" }))],
      tools: [tool(async () => says("ran"), { parameters })],
      beforeToolCall: async ({ args }) => void seen.push(args),
      onEvent,
    });
    expect(seen).toEqual([{ n: 0 }]);
    expect(results).toMatchObject([
      { text: expect.stringContaining("Validation failed"), isError: true },
      { text: "ran", isError: false },
    ]);
  });

  it("all pass when `parameters` is empty", async () => {
    const seen: unknown[] = [];
    const given = { n: null, more: ["x"] };
    const beforeToolCall = async ({ args }: { args: unknown }) => void seen.push(args);
    await drive({ replies: [calls(call("a", given))], tools: [tool(async () => says("ran"))], beforeToolCall });
    expect(seen).toEqual([given]);
  });
});

describe("a call before it runs:", () => {
  it("all calls of a reply are asked about, one after the other, before the first tool runs", async () => {
    const story: string[] = [];
    await drive({
      replies: [calls(call("a"), call("b"))],
      tools: [noting(story)],
      async beforeToolCall({ toolCall: { id } }) {
        story.push(`ask ${id}`);
        await new Promise((resolve) => setImmediate(resolve));
        story.push(`asked ${id}`);
        return undefined;
      },
    });
    expect(story).toEqual(["ask a", "asked a", "ask b", "asked b", "a", "b"]);
  });

  it("a reason to block it, or an error of beforeToolCall, is its result; afterToolCall is not called for these", async () => {
    const after: string[] = [];
    const { results, onEvent } = resultsHeard();
    await drive({
      replies: [calls(call("a"), call("b"), call("c", {}, "nobody"))],
      tools: [tool(async () => says("ran"))],
      async beforeToolCall({ toolCall }) {
        if (toolCall.id === "b") throw new Error("a broken guard");
        return { block: true, reason: "not today" };
      },
      afterToolCall: async ({ toolCall }) => void after.push(toolCall.id),
      onEvent,
    });
    expect(after).toEqual([]);
    expect(results).toEqual([
      { text: "not today", details: {}, isError: true },
      { text: "a broken guard", details: {}, isError: true },
      { text: "Tool nobody not found", details: {}, isError: true },
    ]);
  });

  it("it runs although the signal was aborted while beforeToolCall was waited for", async () => {
    const ran: string[] = [];
    const control = new AbortController();
    await drive({
      replies: [calls(call("a"))],
      tools: [noting(ran)],
      beforeToolCall: async () => control.abort() as undefined,
      shouldStopAfterTurn: () => true,
      control,
    });
    expect(ran).toEqual(["a"]);
  });

  it("it runs although the reply was cut at its limit, and twice if its id is there twice", async () => {
    const ran: string[] = [];
    await drive({
      replies: [reply([call("a"), call("b"), call("b")], "length")],
      tools: [noting(ran)],
    });
    expect(ran).toEqual(["a", "b", "b"]);
  });
});

describe("the result of a call:", () => {
  it("is an error only when the tool throws, which loses its details, or when afterToolCall says so", async () => {
    const { results, onEvent } = resultsHeard();
    const run: AgentTool["execute"] = async (id) => {
      if (id === "throws") throw Object.assign(new Error("thrown"), { details: { kept: true } });
      return { ...says(id), isError: true };
    };
    await drive({
      replies: [calls(call("throws"), call("returns"), call("told"))],
      tools: [tool(run)],
      afterToolCall: async ({ toolCall, isError }) => (toolCall.id === "told" ? { isError: true } : { isError }),
      onEvent,
    });
    expect(results.sort((a, b) => (a.text < b.text ? -1 : 1))).toEqual([
      { text: "returns", details: { kept: true }, isError: false },
      { text: "thrown", details: {}, isError: true },
      { text: "told", details: { kept: true }, isError: true },
    ]);
  });
});

describe("an abort:", () => {
  it("during a tool is followed by one more model call, unless shouldStopAfterTurn says no", async () => {
    const run = async (more: Partial<Drive>) => {
      const control = new AbortController();
      const stopping = tool(async () => {
        control.abort();
        return says("done");
      });
      const { asked } = await drive({ replies: [calls(call("a"))], tools: [stopping], control, ...more });
      return asked.length;
    };
    expect([await run({}), await run({ shouldStopAfterTurn: () => true })]).toEqual([2, 1]);
  });

  it("does not end the wait for a stream: the stream has to end itself", async () => {
    const control = new AbortController();
    const stream = createAssistantMessageEventStream();
    let ended = false;
    const run = drive({ replies: [() => stream], control }).then(() => {
      ended = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    stream.push({ type: "error", reason: "aborted", error: reply([], "aborted") });
    await run;
  });

  it.each(["aborted", "error"] as const)(
    "a reply that is %s ends the loop; its calls do not run and nothing waits",
    async (stop) => {
      const story: string[] = [];
      const note = async () => {
        story.push("asked for waiting messages");
        return [];
      };
      const { asked } = await drive({
        replies: [reply([call("a")], stop)],
        tools: [noting(story)],
        onEvent: ({ type }) => void story.push(type),
        getSteeringMessages: note,
        getFollowUpMessages: note,
        shouldStopAfterTurn: () => story.push("asked to stop") < 0,
      });
      expect(asked).toHaveLength(1);
      expect(story).toEqual([
        "agent_start",
        "turn_start",
        "asked for waiting messages",
        "message_start",
        "message_end",
        "turn_end",
        "agent_end",
      ]);
    },
  );
});
