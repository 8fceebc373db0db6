import { describe, expect, it } from "vitest";
import { desk, spoken } from "./desk.ts";
import { claude, claudeFile, codexFile, lines, PNG, piFile, time } from "./peers.ts";

describe("a session of Claude Code", () => {
  it("is one conversation: replies joined, results after their calls, the latest branch first", async () => {
    await using t = await desk();
    const { report, context, header } = await t.import(claudeFile);
    expect(spoken(context)).toEqual([
      "user: What is the total? [image]",
      "assistant: (Two files.) Read#toolu_A Task#toolu_B",
      "tool_result: const a = 1;",
      "tool_result: It was looked at.",
      "assistant: The total is 3.",
      "user: And without discount?",
      "assistant: 4",
    ]);
    expect(report).toMatchObject({
      format: "claude-code",
      cwd: t.home.cwd,
      origin: "/home/ann/shop",
      messages: 11,
      kept: { "file-history-snapshot": 1, progress: 1 },
      leftOut: { "queue-operation": 1 },
      damagedCount: 0,
    });
    expect(header.meta).toMatchObject({
      cwd: t.home.cwd,
      imported: { from: "claude-code", sessionId: "0b9c1a52-77f3-4c55-9b1e-1f6f6f0f9a10", cwd: "/home/ann/shop" },
    });
  });

  it("that was imported before says as which session", async () => {
    await using t = await desk();
    const first = (await t.import(claudeFile)).report;
    expect(first.text).not.toContain("imported before");
    await t.import(codexFile);
    const { text } = (await t.import(claudeFile)).report;
    expect(text.split("\n").slice(-2)).toEqual([
      expect.stringMatching(/^To continue in it: /),
      `The same conversation was imported before, as session ${first.sessionId}.`,
    ]);
  });

  it("keeps thinking with its signatures, images, times, usage and the name", async () => {
    await using t = await desk();
    const { report, context, events, session } = await t.import(claudeFile);
    expect(context[0]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "What is the total?" },
        { type: "image", data: PNG, mimeType: "image/png" },
      ],
      timestamp: time(1),
    });
    expect(context[1]).toMatchObject({
      content: [{ type: "thinking", thinking: "Two files.", thinkingSignature: "c2ln" }, {}, {}],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-5-5",
      usage: { input: 11, output: 21, cacheRead: 100, cacheWrite: 5, totalTokens: 137 },
      stopReason: "toolUse",
      timestamp: time(2),
    });
    expect(events.find(({ type }) => type === "message")?.ts).toBe(time(1));
    expect(session.projection("sessionMeta").name).toBe("Totals of the shop");
    expect(report.text).toContain(`scorel --session ${report.sessionId}`);
  });

  it("keeps other answers and side chains as branches", async () => {
    await using t = await desk();
    const { session } = await t.import(claudeFile);
    const leaves = session.tree.leaves().map(({ id }) => spoken(session.buildContext(id)));
    expect(leaves).toEqual([
      ["user: look", "assistant: I looked."],
      expect.arrayContaining(["user: And with tax?", "assistant: 3.57"]),
      spoken(session.buildContext()),
    ]);
  });

  it("continues after a summary", async () => {
    await using t = await desk();
    const say = (uuid: string, parent: string | null, text: string, more = {}) =>
      claude(uuid, parent, "user", 1, { message: { role: "user", content: text }, ...more });
    const { context, events } = await t.import(
      lines(
        say("u1", null, "one"),
        claude("b1", null, "system", 2, {
          subtype: "compact_boundary",
          logicalParentUuid: "u1",
          compactMetadata: { trigger: "auto", preTokens: 155000 },
        }),
        say("u2", "b1", "They said one.", { isCompactSummary: true }),
        say("u3", "u2", "Read the rules.", { isMeta: true }),
        say("u4", "u3", "two"),
      ),
    );
    expect(events.find(({ type }) => type === "compact")).toMatchObject({
      summary: "They said one.",
      tokensBefore: 155000,
    });
    expect(spoken(context)).toEqual([
      expect.stringContaining("They said one.") as string,
      "user: <system-reminder>\nRead the rules.\n</system-reminder>",
      "user: two",
    ]);
  });

  it("has the commands that were prompts as they were typed, and others only for the model", async () => {
    await using t = await desk();
    const say = (uuid: string, parent: string | null, content: unknown, more = {}) =>
      claude(uuid, parent, "user", 1, { message: { role: "user", content }, ...more });
    const command = (name: string, args: string) =>
      `<command-message>${name} is running…</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
    const { events } = await t.import(
      lines(
        say("u1", null, command("model", "opus")),
        say("u2", "u1", "<local-command-stdout>Set model to opus</local-command-stdout>"),
        say("u3", "u2", [{ type: "text", text: command("review", "PR 12") }]),
        say("u4", "u3", "What is <command-name>?"),
      ),
    );
    const told = events.flatMap((event: any) =>
      event.type === "message" ? [event.message.content] : event.type === "harness_item" ? ["(hidden)"] : [],
    );
    expect(told).toEqual(["(hidden)", "(hidden)", "/review PR 12", "What is <command-name>?"]);
  });

  it("continues from the latest message, although a reply on another branch was the last one", async () => {
    await using t = await desk();
    const say = (uuid: string, parent: string | null, second: number, text: string) =>
      claude(uuid, parent, "user", second, { message: { role: "user", content: text } });
    const { context, session } = await t.import(
      lines(
        say("u1", null, 1, "one"),
        claude("a1", "u1", "assistant", 2, {
          message: { id: "m1", role: "assistant", content: [{ type: "text", text: "First." }] },
        }),
        say("u2", null, 3, "another one"),
        say("u3", "u2", 4, "[Request interrupted by user]"),
      ),
    );
    expect(spoken(context)).toEqual(["user: another one", "user: [Request interrupted by user]"]);
    expect(session.tree.leaves().map(({ id }) => spoken(session.buildContext(id)))).toEqual(
      expect.arrayContaining([["user: one", "assistant: First."], spoken(context)]),
    );
  });

  it("may have a single message, and a line more than are named that cannot be read", async () => {
    await using t = await desk();
    const message = { role: "user", content: "one" };
    const { report } = await t.import(
      lines(claude("u1", null, "user", 1, { message }), ...Array<string>(11).fill("{")),
    );
    expect(report.text).toContain(": 1 message of a Claude Code session.\n");
    expect(report.text).toContain("\n1 more line could not be read.\n");
  });

  it("summarizes the reply that was the last one before the summary", async () => {
    await using t = await desk();
    const { context, session, events } = await t.import(
      lines(
        claude("u1", null, "user", 1, { message: { role: "user", content: "one" } }),
        claude("a1", "u1", "assistant", 2, {
          message: { id: "m1", role: "assistant", content: [{ type: "text", text: "First." }] },
        }),
        claude("b1", null, "system", 3, {
          subtype: "compact_boundary",
          logicalParentUuid: "a1",
          compactMetadata: { trigger: "auto", preTokens: 155000 },
        }),
        claude("u2", "b1", "user", 4, { message: { role: "user", content: "They said one." }, isCompactSummary: true }),
        claude("u3", "u2", "user", 5, { message: { role: "user", content: "two" } }),
      ),
    );
    expect(spoken(context)).toEqual([expect.stringContaining("They said one."), "user: two"]);
    expect(session.tree.leaves()).toHaveLength(1);
    const reply = events.find((event) => JSON.stringify(event).includes("First."));
    expect(events.find(({ type }) => type === "compact")).toMatchObject({
      compactedThrough: reply?.id,
      tokensBefore: 155000,
    });
  });
});

describe("a session of Codex", () => {
  it("is one conversation with whole replies, without rolled back or duplicate parts", async () => {
    await using t = await desk();
    const { report, context, session } = await t.import(codexFile);
    expect(spoken(context)).toEqual([
      "user: What is the total? [image]",
      "assistant: (Two files.) exec_command#call_A apply_patch#call_B",
      "tool_result: const a = 1;",
      "tool_result: Done",
      "assistant: The total is 3.",
      "user: And without discount?",
      "assistant: 4",
    ]);
    expect(context[1]).toMatchObject({
      api: "openai-responses",
      provider: "openai",
      model: "gpt-6-codex",
      usage: { input: 20, output: 9, cacheRead: 100, totalTokens: 129 },
      content: [{}, { arguments: { cmd: "cat a.js" } }, { arguments: { input: "*** Begin Patch" } }],
    });
    expect(session.tree.leaves()).toHaveLength(2);
    expect(report).toMatchObject({
      format: "codex",
      origin: "/home/ann/shop",
      kept: { "message of developer": 1, surroundings: 1, ghost_snapshot: 1 },
      leftOut: { user_message: 1, agent_message: 1, exec_approval_request: 1 },
    });
  });

  it("is also read in the first format, without envelopes", async () => {
    await using t = await desk();
    const { context, report } = await t.import(
      lines(
        { id: "5973b6c0-94b8-487b-a530-2aeb6098ae0e", timestamp: "2025-05-07T17:24:21.000Z", instructions: null },
        { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
      ),
    );
    expect([report.format, spoken(context)]).toEqual(["codex", ["user: hello", "assistant: hi"]]);
  });
});

describe("a session of pi", () => {
  it("keeps its tree, its summary and its usage", async () => {
    await using t = await desk();
    const { report, context, session, events } = await t.import(piFile);
    expect(spoken(context)).toEqual([
      expect.stringContaining("They want totals.") as string,
      "user: And without discount?",
      "assistant: 4",
    ]);
    expect(session.tree.leaves().map(({ id }) => spoken(session.buildContext(id)))[0]).toEqual([
      "user: What is the total? [image]",
      "assistant: (A file.) read#toolu_A",
      "tool_result: const a = 1;",
      "assistant: The total is 3.",
      "user: I ran this command (exit code 0):\n\n```\nls\n```\n\n```\na.js\n\n```",
      "user: And with tax?",
      "assistant: 3.57",
    ]);
    expect(context[2]).toMatchObject({ usage: { totalTokens: 120, cost: { total: 0.3 } }, model: "claude-sonnet-5-5" });
    expect(events.find(({ type }) => type === "custom_message")).toMatchObject({ kind: "pi:branch_summary" });
    expect(session.projection("sessionMeta")).toMatchObject({
      name: "Totals of the shop",
      model: "anthropic/claude-sonnet-5-5",
    });
    expect(report).toMatchObject({ format: "pi", kept: { label: 1, "custom todo": 1 }, damagedCount: 0 });
  });

  it("is also read in the first format, as a plain list of entries", async () => {
    await using t = await desk();
    const { context } = await t.import(
      lines(
        { type: "session", id: "x", timestamp: "2024-12-03T14:00:00.000Z", cwd: "/tmp", provider: "p", modelId: "m" },
        {
          type: "message",
          timestamp: "2024-12-03T14:00:01.000Z",
          message: { role: "user", content: "hello", timestamp: 1 },
        },
        {
          type: "message",
          timestamp: "2024-12-03T14:00:02.000Z",
          message: { role: "assistant", content: [{ type: "text", text: "hi" }], stopReason: "stop" },
        },
      ),
    );
    expect(spoken(context)).toEqual(["user: hello", "assistant: hi"]);
  });

  it("keeps its model and its thinking level where an entry about them is incomplete", async () => {
    await using t = await desk();
    const about = (id: string, type: string, more: object) => ({
      type,
      id,
      parentId: "a5",
      timestamp: time(9),
      ...more,
    });
    const { report, session } = await t.import(
      lines(
        piFile,
        about("m1", "model_change", { provider: "openai" }),
        about("m2", "model_change", { thinkingLevel: "high" }),
        about("m3", "thinking_level_change", { thinkingLevel: "endless" }),
      ),
    );
    expect(report.leftOut).toEqual({ model_change: 2, thinking_level_change: 1 });
    expect(session.projection("sessionMeta")).toMatchObject({ model: "anthropic/claude-sonnet-5-5" });
  });
});

it.each(Object.entries({ claudeFile, codexFile, piFile }))(
  "a file that begins with a byte order mark is read whole: %s",
  async (_name, file) => {
    await using t = await desk();
    const [plain, marked] = [await t.import(file), await t.import(`\ufeff${file}`)];
    expect(marked.context).toEqual(plain.context);
    expect(marked.report.damagedCount).toBe(0);
  },
);
