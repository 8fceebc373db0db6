import { definePlugin, type Services } from "@scorel/kernel";
import messages from "@scorel/messages";
import prompt from "@scorel/prompt";
import type { PromptPart } from "@scorel/prompt/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testKernel } from "../../harness.ts";
import { ground, openPrompt, section, windowOf } from "./setup.ts";

afterEach(() => {
  vi.useRealTimers();
});

const REMINDERS =
  "Tool results and user messages may include <system-reminder> tags. These contain information from the system and bear no direct relation to the specific tool results or user messages in which they appear.";

/** A plugin that adds these parts to the prompt. */
const contributor = (parts: unknown, id = "notes") =>
  definePlugin({ id, name: id, version: "1.0.0", promptParts: () => parts as PromptPart[] });
const part = (priority: number, text: string, more: Partial<PromptPart> = {}): PromptPart => ({
  section: "baseline",
  priority,
  text,
  ...more,
});

describe("the system prompt", () => {
  it("names the agent, reminders, the working directory and the day", async () => {
    vi.useFakeTimers({ now: new Date(2030, 0, 5, 13, 30), toFake: ["Date"] });
    using g = ground();
    await using t = await openPrompt(g);
    const blocks = t.prompt.system().split("\n\n");
    expect(blocks[0]).toMatch(/^You are Scorel, /);
    expect(blocks).toContain(REMINDERS);
    expect(blocks.slice(-3)).toEqual([
      `Working directory: ${g.project}\nGit root: ${g.project}`,
      `Platform: ${process.platform}`,
      "Date: 2030-01-05",
    ]);
  });

  it("takes at most 1.2 KB", async () => {
    using g = ground();
    const cwd = "/home/me/a/rather/long/path/to/some/project";
    await using t = await openPrompt(g, { cwd, root: cwd });
    expect(Buffer.byteLength(t.prompt.system())).toBeLessThanOrEqual(1228);
  });

  it("has the parts of plugins in their sections, higher priority first", async () => {
    using g = ground();
    const tools = contributor([part(60, "On tools."), part(61, "On more tools.", { source: "more" })]);
    const mcp = contributor([part(50, "On servers.", { section: "environment" })], "mcp");
    await using t = await openPrompt(g, { plugins: [tools, mcp], config: { user: " Be kind. " } });
    await t.say("hi");
    const [snapshot] = t.snapshots();
    expect(section(snapshot, "baseline")?.block.split("\n\n").slice(-2)).toEqual(["On more tools.", "On tools."]);
    expect(section(snapshot, "baseline")?.sources.slice(1)).toEqual([
      { source: "more", priority: 61, bytes: 14 },
      { source: "notes", priority: 60, bytes: 9 },
    ]);
    expect(section(snapshot, "environment")?.block).toBe(`Platform: ${process.platform}\n\nOn servers.`);
    expect(section(snapshot, "agents")).toEqual({
      name: "agents",
      block: "Be kind.",
      sources: [{ source: "[prompt] user", priority: 80, bytes: 8, sha256: expect.any(String) as string }],
    });
  });

  it("skips an invalid part and names its plugin", async () => {
    using g = ground();
    const wrong = [
      part(100, "I am the base"),
      part(50, "  "),
      part(50, "x", { section: "elsewhere" as "time" }),
      "just a text",
      part(50, "right"),
    ];
    await using t = await openPrompt(g, { plugins: [contributor(wrong)] });
    expect(t.prompt.system()).toContain("\n\nright\n\n");
    expect(t.prompt.system()).not.toContain("I am the base");
    expect(t.kernel.failures.map(({ plugin, code, message }) => `${plugin} ${code} ${message.split(": ")[1]}`)).toEqual(
      expect.arrayContaining([
        "notes PROMPT_PART its priority is not from 1 to 99. Specify a section, a priority from 1 to 99 and a text.",
        "notes PROMPT_PART it has no text. Specify a section, a priority from 1 to 99 and a text.",
        'notes PROMPT_PART there is no section "elsewhere". Specify a section, a priority from 1 to 99 and a text.',
      ]),
    );
  });

  it("contains no secret from files or options", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "The key is sk-canary.");
    const secrets = { redact: (text: string) => text.replaceAll("sk-canary", "[redacted]") } as Services["secrets"];
    await using t = await openPrompt(g, { services: { secrets }, appendSystemPrompt: "Use sk-canary." });
    await t.say("hi");
    expect(t.prompt.system()).toContain("The key is [redacted].");
    expect(JSON.stringify(t.stored())).not.toContain("sk-canary");
  });

  it("leaves nothing behind", async () => {
    await using opened = await testKernel([messages]);
    const before = opened.kernel.census();
    await opened.kernel.load({ plugin: prompt, origin: "test" });
    await opened.kernel.unload("prompt");
    expect(opened.kernel.census()).toEqual(before);
  });
});

describe("the size limit", () => {
  const kilobyte = (letter: string) => letter.repeat(1_024);
  const sources = (list: readonly { source: string }[] | undefined) => list?.map(({ source }) => source);

  it("is 15% of the model's window, and drops whole parts, lowest priority and farthest file first", async () => {
    using g = ground();
    const root = g.file("project/AGENTS.md", kilobyte("r"));
    const near = g.file("project/deep/AGENTS.md", kilobyte("n"));
    const own = g.file(".scorel/AGENTS.md", kilobyte("o"));
    const plugins = [contributor([part(60, kilobyte("t"))], "tools"), contributor([part(50, kilobyte("m"))], "mcp")];
    const open = (window: number) =>
      openPrompt(g, {
        cwd: `${g.project}/deep`,
        plugins,
        config: { user: kilobyte("u") },
        services: windowOf(window),
      });
    const cutIn = async (window: number) => {
      await using t = await open(window);
      await t.say("hi");
      return { bytes: Buffer.byteLength(t.prompt.system()), cut: sources(t.snapshots()[0]?.cut) };
    };
    const all = await cutIn(1_000_000);
    expect(all).toEqual({ bytes: all.bytes, cut: [] });
    const order = ["mcp", "tools", own, root, near, "[prompt] user"];
    for (const [count, room] of [0, 1, 2, 3, 4, 5, 6].map((n) => [n, all.bytes - n * 1_000] as const)) {
      // 15% of this window are exactly the tokens of this many bytes.
      const { bytes, cut } = await cutIn(Math.ceil((room + 8) / 4 / 0.15));
      expect(cut).toEqual(order.slice(0, count));
      expect(bytes).toBeLessThanOrEqual(room + 8);
    }
  });

  it("never drops the part about the agent itself", async () => {
    using g = ground();
    await using t = await openPrompt(g, { services: windowOf(100), appendSystemPrompt: "In rhymes." });
    await t.say("hi");
    expect(sources(t.snapshots()[0]?.cut)?.sort()).toEqual(["environment", "time", "workspace"]);
    expect(t.prompt.system()).toMatch(/^You are Scorel, [\s\S]*\n\nIn rhymes\.$/);
  });

  it("is reported to people and diagnostics when it dropped something", async () => {
    using g = ground();
    const file = g.file("project/AGENTS.md", "x".repeat(60_000));
    const warnings: string[] = [];
    const ignore = () => {};
    const logger = { debug: ignore, info: ignore, error: ignore, warn: (text: string) => void warnings.push(text) };
    await using t = await openPrompt(g, { services: windowOf(8_000), kernel: { logger } });
    await t.say("hi");
    expect(warnings).toEqual([expect.stringContaining(`${file}: no room for its `)]);
    const [snapshot] = t.snapshots();
    expect(snapshot && t.session.display(snapshot)).toMatchObject({
      display: "notice",
      level: "warning",
      text: expect.stringMatching(
        `^Not part of the instructions: ${file}: no room for its 60\\d\\d\\d bytes$`,
      ) as string,
    });
    expect(snapshot?.budget).toBe(1_200);
    expect(t.prompt.view().rows.filter(({ cut }) => cut)).toMatchObject([{ section: "agents", source: file }]);
  });
});
