import type { StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testHeader } from "../../harness.ts";
import { ground, type Options, openPrompt, section, windowOf } from "./setup.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A log that several kernels use one after another. */
const kept = (events: readonly StoredEvent[] = []) => createMemoryStore(testHeader, events);

describe("the snapshot", () => {
  it("is written before the first message, with six sections and their sources", async () => {
    vi.useFakeTimers({ now: new Date(2030, 0, 5), toFake: ["Date"] });
    using g = ground();
    const file = g.file("project/AGENTS.md", "rules");
    await using t = await openPrompt(g, { config: { user: "Be kind." }, appendSystemPrompt: "In rhymes." });
    await t.say("hi");
    const [snapshot, message] = [...t.session.tree];
    expect([snapshot?.type, message?.type]).toEqual(["instruction_snapshot", "message"]);
    expect(t.snapshots()[0]).toMatchObject({
      date: "2030-01-05",
      appended: "In rhymes.",
      cut: [],
      skipped: [],
      sections: [
        { name: "baseline", sources: [{ source: "scorel", priority: 100 }] },
        {
          name: "agents",
          sources: [
            { source: "[prompt] user", priority: 80 },
            { source: file, priority: 70 },
          ],
        },
        { name: "memory", sources: [], block: "" },
        { name: "workspace", sources: [{ source: "workspace", priority: 90 }] },
        { name: "environment", block: `Platform: ${process.platform}` },
        { name: "time", block: "Date: 2030-01-05" },
      ],
    });
    const blocks = t.snapshots()[0]?.sections.map(({ block }) => block) ?? [];
    expect(t.prompt.system()).toBe([...blocks.filter((block) => block !== ""), "In rhymes."].join("\n\n"));
  });

  it("is stored once, beside the conversation", async () => {
    using g = ground();
    await using t = await openPrompt(g);
    await t.say("one");
    await t.say("two");
    expect([...t.session.tree].map(({ type }) => type)).toEqual(["instruction_snapshot", "message", "message"]);
    expect(t.session.tree.root?.type).toBe("message");
    expect(t.session.buildContext()).toHaveLength(2);
  });

  it("stays byte for byte the same until it is refreshed, whatever happens to its sources", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "rules");
    const store = kept();
    await using first = await openPrompt(g, { kernel: { store } });
    await first.say("one");
    const text = first.prompt.system();
    g.file("project/AGENTS.md", "other rules");
    vi.useFakeTimers({ now: Date.UTC(2040, 1, 2), toFake: ["Date"] });
    expect(first.prompt.system()).toBe(text);
    const events = store.records.map((record) => JSON.parse(record) as StoredEvent);
    await using second = await openPrompt(g, { config: { user: "Be kind." }, kernel: { store: kept(events) } });
    expect(second.prompt.system()).toBe(text);
    await second.say("two");
    expect(second.prompt.system()).toBe(text);
    await second.prompt.refresh("me");
    expect(second.prompt.system()).toContain("other rules");
    expect(second.prompt.system()).toContain("Be kind.");
    expect(second.snapshots().map(({ clientId }) => clientId)).toEqual(["test", "me"]);
  });

  it("stays the same for a model with a smaller window, too", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "x".repeat(60_000));
    await using first = await openPrompt(g, { services: windowOf(1_000_000) });
    await first.say("one");
    const store = kept(first.stored());
    await using second = await openPrompt(g, { services: windowOf(8_000), kernel: { store } });
    await second.say("two");
    expect(second.prompt.system()).toBe(first.prompt.system());
    expect(second.snapshots()).toHaveLength(1);
  });

  it("applies to every branch once it is the latest", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "rules");
    await using t = await openPrompt(g);
    await t.say("one");
    const one = t.session.activeLeaf as string;
    await t.say("two");
    g.file("project/AGENTS.md", "other rules");
    await t.prompt.refresh("me");
    await t.session.append("rewind", { targetEventId: one });
    expect(t.prompt.system()).toContain("\nother rules\n");
    await t.say("three");
    expect(t.snapshots()).toHaveLength(2);
  });

  it("applies only when complete, wherever the log comes from", async () => {
    using g = ground();
    await using first = await openPrompt(g);
    await first.say("one");
    const text = first.prompt.system();
    const [snapshot, message] = first.stored() as [StoredEvent, StoredEvent];
    const broken = { ...snapshot, id: "broken0000000001", seq: 3, sections: [{ name: "baseline", block: 1 }] };
    await using second = await openPrompt(g, { kernel: { store: kept([snapshot, message, broken]) } });
    expect(second.prompt.system()).toBe(text);
    await using third = await openPrompt(g, {
      kernel: {
        store: kept([
          { ...broken, seq: 1 },
          { ...message, parentId: null },
        ]),
      },
    });
    await third.say("two");
    expect(third.prompt.system()).toBe(text);
  });

  it("says which files are used, warns about ignored ones, and is silent when there are none", async () => {
    using g = ground();
    const shown = async () => {
      await using t = await openPrompt(g);
      await t.say("hi");
      const [snapshot] = t.snapshots();
      return snapshot && t.session.display(snapshot);
    };
    expect(await shown()).toEqual({ display: "hidden" });
    const file = g.file("project/AGENTS.md", "rules");
    expect(await shown()).toEqual({ display: "notice", level: "info", text: `Instructions: ${file}` });
    const binary = g.file("project/CLAUDE.md", "\0");
    const text = `Not part of the instructions: ${binary}: not a text in UTF-8`;
    expect(await shown()).toEqual({ display: "notice", level: "warning", text });
  });
});

describe("the text at the end of the prompt", () => {
  const events = (stored: StoredEvent[]) => ({ kernel: { store: kept(stored) } });

  it("belongs to the run, and what precedes it is unchanged", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "rules");
    await using first = await openPrompt(g, { appendSystemPrompt: "In rhymes." });
    await first.say("one");
    const base = first.prompt.system().replace(/\n\nIn rhymes\.$/, "");
    expect(first.prompt.system()).toBe(`${base}\n\nIn rhymes.`);
    g.file("project/AGENTS.md", "other rules");
    const told = async (options: Options) => {
      await using t = await openPrompt(g, { ...events(first.stored()), ...options });
      await t.say("two");
      return [t.snapshots().length, t.prompt.system()];
    };
    expect(await told({ appendSystemPrompt: "In rhymes." })).toEqual([1, `${base}\n\nIn rhymes.`]);
    expect(await told({ appendSystemPrompt: "In prose." })).toEqual([2, `${base}\n\nIn prose.`]);
    expect(await told({})).toEqual([2, base]);
  });
});

describe("a changed instruction file", () => {
  it("is reported to people once for each change, with the command that reloads it", async () => {
    using g = ground();
    const agents = g.file("project/AGENTS.md", "rules");
    await using t = await openPrompt(g);
    await t.say("one");
    await t.say("two");
    expect(t.notes()).toEqual([]);
    g.file("project/AGENTS.md", "other rules");
    await t.say("three");
    await t.say("four");
    expect(t.notes()).toEqual([
      `${agents} has changed since this session read it; it continues with what it was told. \`/refresh-instructions\` or \`scorel prompt refresh ${testHeader.sessionId}\` reads all instructions again.`,
    ]);
    const claude = g.file("project/CLAUDE.md", "more");
    await t.say("five");
    expect(t.notes()[1]).toMatch(`${agents}, ${claude} have changed since this session read them; `);
    await t.prompt.refresh("me");
    await t.say("six");
    expect(t.notes()).toHaveLength(2);
    expect(t.session.buildContext()).toHaveLength(6);
  });

  it("is reported once across processes, and not when it is unchanged", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "rules");
    await using first = await openPrompt(g);
    await first.say("one");
    g.file("project/AGENTS.md", "other rules");
    await first.say("two");
    await using second = await openPrompt(g, { kernel: { store: kept(first.stored()) } });
    await second.say("three");
    expect(second.notes()).toHaveLength(1);
    g.file("project/AGENTS.md", "rules");
    await second.say("four");
    expect(second.notes()).toHaveLength(1);
  });

  it("that did not fit into the prompt is not reported", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "x".repeat(60_000));
    await using t = await openPrompt(g, { services: windowOf(8_000) });
    await t.say("one");
    await t.say("two");
    expect(t.notes()).toEqual([]);
  });
});

describe("a new day", () => {
  it("is announced at the end of the conversation, once on each branch, without changing the prompt", async () => {
    vi.useFakeTimers({ now: new Date(2030, 0, 5, 23), toFake: ["Date"] });
    using g = ground();
    await using t = await openPrompt(g);
    await t.say("one");
    const one = t.session.activeLeaf as string;
    const text = t.prompt.system();
    vi.setSystemTime(new Date(2030, 0, 6, 1));
    await t.say("two");
    await t.say("three");
    const reminder = "<system-reminder>\nThe date is now 2030-01-06.\n</system-reminder>";
    expect(t.session.buildContext().map(({ content }) => content)).toEqual(["one", reminder, "two", "three"]);
    await t.session.append("rewind", { targetEventId: one });
    await t.say("four");
    expect(t.session.buildContext().map(({ content }) => content)).toEqual(["one", reminder, "four"]);
    expect(t.prompt.system()).toBe(text);
    expect(section(t.snapshots()[0], "time")?.block).toBe("Date: 2030-01-05");
  });

  it("is announced again after a summary, and not after a refresh", async () => {
    vi.useFakeTimers({ now: new Date(2030, 0, 5), toFake: ["Date"] });
    using g = ground();
    await using t = await openPrompt(g);
    await t.say("one");
    vi.setSystemTime(new Date(2030, 0, 6));
    await t.say("two");
    const compactedThrough = t.session.activeLeaf as string;
    await t.session.append("compact", { summary: "They counted.", compactedThrough, tokensBefore: 9, tokensAfter: 3 });
    await t.say("three");
    expect(t.notes()).toEqual(["The date is now 2030-01-06.", "The date is now 2030-01-06."]);
    vi.setSystemTime(new Date(2030, 0, 7));
    await t.prompt.refresh("me");
    await t.say("four");
    expect(t.notes()).toHaveLength(2);
  });
});
