import compaction from "@scorel/compaction";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { testHeader } from "../../harness.ts";
import { type RecordedRequest, type Reply, type Script, text, toolCall, usage } from "../../model-server.ts";
import { asksForSummary, tokensOf, words } from "../compaction/setup.ts";
import { addSkill, type Ground, ground, openSkills, payloads, results, sent, skillText } from "./setup.ts";

const load = (skill: string, more: object = {}) => toolCall("skill_load", { skill, ...more });
const select = (skill: string, docs: string[]) => toolCall("skill_select_docs", { skill, docs });
const loadsIn = (request: RecordedRequest | undefined) => request?.text.match(/Do as \w+ says/g)?.length ?? 0;
const systemOf = (request: RecordedRequest | undefined) => sent(request!)[0]?.text ?? "";
const toolsOf = (request: RecordedRequest | undefined) =>
  sent(request!).flatMap(({ role, text: said }) => (role === "tool" ? [said] : []));
/** The end of the result of a load: the docs that are not loaded. */
const OTHERS = "\nDocs to be loaded by name: a.md (2 bytes), b.md (3 bytes)";
const withDocs = (g: Ground) => {
  addSkill(g, "pdf", { "a.md": "Ay", "b.md": "Bee" });
  addSkill(g, "docx");
};

describe("the placement append", () => {
  it("never changes what was sent, whatever is loaded, selected and cleared, in any mode", async () => {
    for (const mode of ["session", "turn", "once"]) {
      using g = ground();
      withDocs(g);
      const clear = toolCall("skill_select_docs", { skill: "pdf", mode: "clear" });
      const script = [
        load("pdf"),
        select("pdf", ["a.md"]),
        text("1"),
        load("docx"),
        clear,
        select("pdf", ["b.md"]),
        text("2"),
      ];
      await using t = await openSkills(g, [...script, text("3")], { config: { load: mode } });
      for (const turn of ["one", "two", "three"]) await t.agent.prompt(turn);
      for (const [index, request] of t.requests.entries()) {
        const [earlier, later] = [t.requests[index - 1] ?? request, request].map(sent) as [object[], object[]];
        expect(later.slice(0, earlier.length)).toEqual(earlier);
        expect(request.body.tools).toEqual(t.requests[0]?.body.tools);
      }
      expect(t.requests.at(-1)?.text.match(/\[Doc\] [ab]\.md/g)).toEqual(["[Doc] a.md", "[Doc] b.md"]);
    }
  });

  it("puts mentioned skills after the message", async () => {
    using g = ground();
    withDocs(g);
    await using t = await openSkills(g, [text("1")]);
    await t.agent.prompt("fill it with $pdf");
    expect(sent(t.requests[0]!).slice(1)).toEqual([
      { role: "user", text: "fill it with $pdf" },
      { role: "user", text: "[Loaded] pdf\n\nDo as pdf says.\nDocs loaded: none" },
    ]);
  });
});

describe("the placement system", () => {
  it("has all loaded texts at the end of the system prompt, by name, and results unchanged", async () => {
    using g = ground();
    withDocs(g);
    const script = [load("pdf", { docs: ["b.md"] }), load("docx"), load("docx"), text("1"), text("2")];
    await using t = await openSkills(g, script, { config: { placement: "system" } });
    await t.agent.prompt("one");
    await t.agent.prompt("two");
    expect(toolsOf(t.requests[3])).toEqual([
      "loaded: pdf\nDocs to be loaded by name: a.md (2 bytes)",
      "loaded: docx",
      "loaded: docx",
    ]);
    const blocks =
      "\n\n[Loaded] docx\n\nDo as docx says.\nDocs loaded: none\n\n[Loaded] pdf\n\nDo as pdf says.\nDocs loaded: b.md\n\n[Doc] b.md\n\nBee";
    expect(systemOf(t.requests[3])).toBe(systemOf(t.requests[0]) + blocks);
    expect(systemOf(t.requests[4])).toBe(systemOf(t.requests[3]));
    expect(payloads(t, "skill_context")).toEqual([]);
  });
});

describe("docs of a skill whose body is not loaded", () => {
  it("are placed where loaded texts are", async () => {
    const blocks = "Docs of pdf loaded: a.md\n\n[Doc] a.md\n\nAy";
    const stub = '{"skill":"pdf","selected_docs":["a.md"],"mode":"replace"}';
    for (const [placement, result] of [
      ["append", `${stub}\n${blocks}`],
      ["system", stub],
      ["tool_result", `${stub}\n\n${blocks}`],
    ]) {
      using g = ground();
      withDocs(g);
      await using t = await openSkills(g, [select("pdf", ["a.md"]), text("1")], { config: { placement } });
      await t.agent.prompt("one");
      expect(toolsOf(t.requests[1])).toEqual([result]);
      expect(systemOf(t.requests[1]).endsWith(blocks)).toBe(placement === "system");
    }
  });
});

describe("the placement tool_result", () => {
  it("has the text of a skill in the latest result that loaded it, in place of the stub", async () => {
    using g = ground();
    withDocs(g);
    const script = [load("pdf"), load("docx"), select("pdf", ["a.md"]), text("1")];
    await using t = await openSkills(g, script, { config: { placement: "tool_result" } });
    await t.agent.prompt("one");
    expect(toolsOf(t.requests[1])).toEqual([`${OTHERS.trim()}\n\n[Loaded] pdf\n\nDo as pdf says.\nDocs loaded: none`]);
    expect(toolsOf(t.requests[3])).toEqual([
      `loaded: pdf${OTHERS}`,
      "[Loaded] docx\n\nDo as docx says.\nDocs loaded: none",
      '{"skill":"pdf","selected_docs":["a.md"],"mode":"replace"}\n\n[Loaded] pdf\n\nDo as pdf says.\nDocs loaded: a.md\n\n[Doc] a.md\n\nAy',
    ]);
    expect(results(t)).toEqual([
      `loaded: pdf${OTHERS}`,
      "loaded: docx",
      '{"skill":"pdf","selected_docs":["a.md"],"mode":"replace"}',
    ]);
  });

  it("keeps old results of skills that are no longer loaded as stubs", async () => {
    using g = ground();
    withDocs(g);
    const script = [load("pdf"), text("1"), load("docx"), text("2")];
    await using t = await openSkills(g, script, { config: { placement: "tool_result", load: "turn" } });
    await t.agent.prompt("one");
    await t.agent.prompt("two");
    expect(toolsOf(t.requests[3])).toEqual([
      `loaded: pdf${OTHERS}`,
      "[Loaded] docx\n\nDo as docx says.\nDocs loaded: none",
    ]);
  });

  it("puts texts that no result in the request loaded at the end of the system prompt, whatever people write", async () => {
    using g = ground();
    withDocs(g);
    await using t = await openSkills(g, [text("1"), text("2")], { config: { placement: "tool_result" } });
    await t.agent.prompt("Loaded skill context: none of it. Available skills: $pdf");
    await t.agent.prompt("go on");
    const added = "\n\nLoaded skill context:\n[Loaded] pdf\n\nDo as pdf says.\nDocs loaded: none";
    for (const request of t.requests) {
      expect(systemOf(request).endsWith(added)).toBe(true);
      expect(systemOf(request)).toContain("\n\nAvailable skills:\n- docx");
      expect(sent(request)[1]).toEqual({
        role: "user",
        text: "Loaded skill context: none of it. Available skills: $pdf",
      });
    }
  });
});

describe("the mode", () => {
  const turns: Script = [load("pdf"), text("1"), text("2"), text("3")];
  const seen = async (config: object) => {
    using g = ground();
    withDocs(g);
    await using t = await openSkills(g, turns, { config: { placement: "system", ...config } });
    for (const turn of ["one", "two", "three"]) await t.agent.prompt(turn);
    return { loads: t.requests.map(loadsIn), states: payloads(t, "skill_state"), t };
  };
  const nothing = { stateDelta: { "temp:skill:loaded:pdf": null }, skills: [] };

  it("session keeps a skill for the whole session", async () => {
    expect(await seen({ load: "session" })).toMatchObject({ loads: [0, 1, 1, 1], states: [] });
  });

  it("turn keeps it for all requests of the turn, and ends it in the log before the next one", async () => {
    expect(await seen({ load: "turn" })).toMatchObject({
      loads: [0, 1, 0, 0],
      states: [{ type: "skill_state", why: "turn", ...nothing }],
    });
  });

  it("once keeps it for one request", async () => {
    using g = ground();
    withDocs(g);
    const script = [load("pdf", { docs: ["a.md"] }), load("docx"), text("1"), text("2")];
    await using t = await openSkills(g, script, { config: { placement: "system", load: "once" } });
    await t.agent.prompt("one");
    await t.agent.prompt("two");
    const shown = t.requests.map((request) => request.text.match(/\[(?:Loaded|Doc)\] [\w.]+/g) ?? []);
    expect(shown).toEqual([[], ["[Loaded] pdf", "[Doc] a.md"], ["[Loaded] docx"], []]);
    expect(t.session.projection("skillState").keys).toEqual({});
  });

  it("once gives it to each attempt of that request", async () => {
    using g = ground();
    withDocs(g);
    const { status } = await import("../../model-server.ts");
    const script = [load("pdf"), status(529, {}), text("1"), text("2")];
    for (const placement of ["system", "append"]) {
      const config = { placement, load: "once" };
      await using t = await openSkills(g, script, { config, agent: { retries: 1 } });
      await t.agent.prompt("one");
      expect(t.requests.map(loadsIn)).toEqual([0, 1, 1]);
    }
  });

  it("turn in append ends with a compaction, and leaves the text where it is", async () => {
    using g = ground();
    withDocs(g);
    await using t = await openSkills(g, [...(turns as Reply[]).slice(0, 2), load("pdf"), text("2")], {
      config: { load: "turn" },
    });
    await t.agent.prompt("one");
    await t.agent.prompt("two");
    expect(t.requests.map(loadsIn)).toEqual([0, 1, 1, 1]);
    expect(results(t)).toEqual([`loaded: pdf${OTHERS}`, "already loaded above: pdf"]);
  });
});

describe("rewinding", () => {
  it("restores the skills that were loaded there", async () => {
    using g = ground();
    withDocs(g);
    await using t = await openSkills(g, [text("0"), load("pdf"), text("1"), text("2")]);
    await t.agent.prompt("zero");
    const target = t.session.activeLeaf;
    await t.agent.prompt("one");
    await t.session.append("rewind", { targetEventId: target });
    await t.agent.prompt("two");
    expect(t.requests.map(loadsIn)).toEqual([0, 0, 1, 0]);
    expect(t.session.projection("skillState").keys).toEqual({});
  });
});

/** Plays replies, and answers each request for a summary. Reported usage is the size of the request. */
const compacting = (replies: readonly Reply[]): Script => {
  let next = 0;
  return (request) => {
    const reply = asksForSummary(request) ? text("S1") : (replies[next++] ?? text("ok"));
    return [...("do" in reply ? [reply] : reply), usage({ input: tokensOf(request), output: 10 })];
  };
};
const body = (name: string, tokens: number) =>
  skillText(name, `All of ${name}`, `Do as ${name} says. ${words(tokens, name)}`);

/** A context window that a few turns fill. */
const small = {
  plugins: [{ plugin: compaction, config: { threshold: 3_500, keep: 900, layers: ["summary"] } }],
  model: { contextWindow: 10_000 },
};

describe("a compaction", () => {
  it("keeps loaded skills: the same bytes, once, after the kept messages, and no skill in its summary", async () => {
    using g = ground();
    addSkill(g, "pdf", { "a.md": "Ay" }, body("pdf", 200));
    const filling = ["a", "b", "c"].map((mark) => text(words(900, mark)));
    const script = compacting([load("pdf", { docs: ["a.md"] }), ...filling, text("last"), load("pdf"), text("done")]);
    await using t = await openSkills(g, script, small);
    for (const turn of ["one", "two", "three", "four", "five"]) await t.agent.prompt(turn);
    expect([...t.session.tree.ofType("compact")]).toHaveLength(1);
    const summary = t.requests.find(asksForSummary);
    expect(loadsIn(summary)).toBe(0);
    const block = /\[Loaded\] pdf[\s\S]*\[Doc\] a\.md\n\nAy/.exec(toolsOf(t.requests[1])[0] ?? "")?.[0] as string;
    const after = t.requests.slice(t.requests.indexOf(summary!) + 1);
    expect(after.length).toBeGreaterThan(1);
    for (const request of after) {
      expect(loadsIn(request)).toBe(1);
      expect(sent(request).some(({ text: said }) => said === `Loaded skill context:\n\n${block}`)).toBe(true);
    }
    expect(results(t).at(-1)).toBe("already loaded above: pdf");
  });

  it("lists skills that do not fit, which are no longer loaded", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 200));
    addSkill(g, "docx", {}, body("docx", 100));
    const filling = ["a", "b", "c"].map((mark) => text(words(900, mark)));
    const script = compacting([load("docx"), load("pdf"), ...filling, text("last"), text("end")]);
    await using t = await openSkills(g, script, { ...small, config: { reattach: 500 } });
    for (const turn of ["one", "two", "three", "four", "five"]) await t.agent.prompt(turn);
    expect(t.session.projection("skillState").keys).toEqual({ "temp:skill:loaded:docx": "1" });
    const said = t.requests.at(-1)?.text ?? "";
    expect(said).toMatch(
      /No room was left for these loaded skills; load them again if you need them: pdf \(\d+(\.\d+ KiB| bytes)\)/,
    );
    expect(said).toContain("Do as docx says");
    expect(said).not.toContain("Do as pdf says");
    expect(payloads(t, "skill_context").at(-1)).toMatchObject({
      again: true,
      skills: [{ name: "docx" }],
      left: [expect.stringMatching(/^pdf \(\d.* (KiB|bytes)\)$/)],
    });
  });

  it("moves a skill to the system prompt in tool_result if it removed the result that loaded it", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 200));
    const filling = ["a", "b", "c"].map((mark) => text(words(900, mark)));
    const script = compacting([load("pdf"), ...filling, text("last"), text("end")]);
    await using t = await openSkills(g, script, { ...small, config: { placement: "tool_result" } });
    for (const turn of ["one", "two", "three", "four", "five"]) await t.agent.prompt(turn);
    expect([...t.session.tree.ofType("compact")]).toHaveLength(1);
    const at = t.requests.findIndex(asksForSummary);
    const elsewhere = t.requests.map((request) => systemOf(request).includes("Loaded skill context:\n[Loaded] pdf"));
    expect([elsewhere.slice(0, at).some(Boolean), elsewhere.slice(at + 1).every(Boolean)]).toEqual([false, true]);
    expect(t.requests.toSpliced(at, 1).map(loadsIn)).toEqual([0, 1, 1, 1, 1, 1]);
  });

  it("keeps at most a quarter of the window for them", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 600));
    const filling = ["a", "b", "c"].map((mark) => text(words(300, mark)));
    const script = compacting([load("pdf"), ...filling, text("last"), text("end")]);
    const [plugin] = small.plugins.map(({ plugin: own }) => ({
      plugin: own,
      config: { threshold: 0.9, keep: 0.1, layers: ["summary"] },
    }));
    await using t = await openSkills(g, script, { plugins: [plugin!], model: { contextWindow: 2_200 } });
    for (const turn of ["one", "two", "three", "four", "five"]) await t.agent.prompt(turn);
    expect([...t.session.tree.ofType("compact")].length).toBeGreaterThan(0);
    expect(t.session.projection("skillState").keys).toEqual({});
    expect(payloads(t, "skill_context").at(-1)).toMatchObject({
      again: true,
      skills: [],
      left: [expect.stringMatching(/^pdf \(\d.* (KiB|bytes)\)$/)],
    });
  });

  it("repeats index changes that it removed", async () => {
    using g = ground();
    addSkill(g, "pdf");
    const filling = ["a", "b", "c", "d"].map((mark) => text(words(900, mark)));
    await using t = await openSkills(g, compacting([text("1"), ...filling, text("last"), text("end")]), small);
    await t.agent.prompt("one");
    addSkill(g, "new");
    for (const turn of ["two", "three", "four", "five", "six", "seven"]) await t.agent.prompt(turn);
    expect([...t.session.tree.ofType("compact")]).toHaveLength(1);
    expect(payloads(t, "skill_index")).toHaveLength(2);
    expect(payloads(t, "harness_item").length).toBe(2);
    expect(t.requests.at(-1)?.text).toContain("- new: new: All of new");
  });
});

const reopened = ({ records }: { records: readonly string[] }) =>
  createMemoryStore(
    testHeader,
    records.map((record) => JSON.parse(record)),
  );

describe("an imported session", () => {
  it("reports loads whose texts it does not have, and ignores them", async () => {
    for (const placement of ["append", "system", "tool_result"]) {
      using g = ground();
      withDocs(g);
      await using t = await openSkills(g, [text("1"), load("pdf"), text("2")], { config: { placement } });
      const toolCallId = "c1";
      const call = { type: "toolCall" as const, id: toolCallId, name: "skill_load", arguments: { skill: "pdf" } };
      const details = {
        stateDelta: { "temp:skill:loaded:pdf": "1", "temp:skill:docs:pdf": "[]", "temp:other": "x" },
        skill: { name: "pdf", digest: "0", content: "nowhere", docs: [{ path: "a.md", content: "nowhere" }] },
      };
      const said = { role: "user" as const, content: "go", timestamp: 0 };
      const asked = {
        role: "assistant" as const,
        content: [call],
        api: "x",
        provider: "x",
        model: "x",
        usage: none,
        stopReason: "toolUse" as const,
        timestamp: 0,
      };
      const content = [{ type: "text" as const, text: "loaded: pdf" }];
      const answered = {
        role: "tool_result" as const,
        toolCallId,
        toolName: "skill_load",
        content,
        details,
        isError: false,
        timestamp: 0,
      };
      for (const message of [said, asked, answered]) await t.session.append("message", { message });
      await t.agent.prompt("and now?");
      expect(t.requests[0]?.text).not.toContain("no longer in the log");
      expect(t.session.projection("skillState").keys).not.toHaveProperty("temp:other");
      await t.agent.prompt("load it");
      expect(t.requests[2]?.text).toContain("Do as pdf says.");
    }
  });
});
const none = noUsage();

describe("a reopened session", () => {
  it("sends the same bytes even if the files have changed, and appends a notice about that", async () => {
    using g = ground();
    withDocs(g);
    const store = createMemoryStore(testHeader);
    const before: RecordedRequest[] = [];
    {
      await using t = await openSkills(g, [load("pdf", { docs: ["a.md"] }), text("1")], { kernel: { store } });
      await t.agent.prompt("one");
      before.push(...t.requests);
    }
    addSkill(g, "pdf", { "a.md": "Other" }, skillText("pdf", "Changed", "Other words."));
    const again = reopened(store);
    await using t = await openSkills(g, [text("2")], { kernel: { store: again } });
    await t.agent.prompt("two");
    const earlier = sent(before.at(-1)!);
    const later = sent(t.requests[0]!);
    expect(later.slice(0, earlier.length)).toEqual(earlier);
    expect(t.requests[0]?.body.tools).toEqual(before[0]?.body.tools);
    expect(later.slice(-1)).toEqual([
      {
        role: "user",
        text: expect.stringContaining(
          "- changed: pdf: Changed; the text loaded above is an earlier version, skill_load loads the new one",
        ),
      },
    ]);
  });

  it("is compacted with the bytes that it loaded, whatever the files contain now", async () => {
    using g = ground();
    addSkill(g, "pdf", { "a.md": "Ay" }, body("pdf", 200));
    const store = createMemoryStore(testHeader);
    const blockIn = (request: RecordedRequest | undefined) =>
      sent(request!).flatMap(({ text: said }) => /\[Loaded\] pdf[\s\S]*\[Doc\] a\.md\n\nAy/.exec(said)?.[0] ?? []);
    let block: string[] = [];
    {
      const script = compacting([load("pdf", { docs: ["a.md"] }), text(words(900, "a"))]);
      await using t = await openSkills(g, script, { ...small, kernel: { store } });
      await t.agent.prompt("one");
      block = blockIn(t.requests[1]);
    }
    addSkill(g, "pdf", { "a.md": "Other" }, skillText("pdf", "Changed", "Other words."));
    const again = reopened(store);
    const script = compacting([...["b", "c"].map((mark) => text(words(900, mark))), text("last"), text("end")]);
    await using t = await openSkills(g, script, { ...small, kernel: { store: again } });
    for (const turn of ["two", "three", "four", "five"]) await t.agent.prompt(turn);
    const after = t.requests.slice(t.requests.findIndex(asksForSummary) + 1);
    expect([block.length, after.length > 0, [...t.session.tree.ofType("compact")].length]).toEqual([1, true, 1]);
    for (const request of after) expect(blockIn(request)).toEqual(block);
    expect(after.at(-1)?.text).not.toContain("Other words.");
  });

  it("in another placement finds the texts that it loaded", async () => {
    using g = ground();
    withDocs(g);
    const store = createMemoryStore(testHeader);
    {
      await using t = await openSkills(g, [load("pdf"), text("1")], { kernel: { store } });
      await t.agent.prompt("one");
    }
    const again = reopened(store);
    await using t = await openSkills(g, [text("2")], { kernel: { store: again }, config: { placement: "system" } });
    await t.agent.prompt("two");
    expect(systemOf(t.requests[0])).toContain("[Loaded] pdf\n\nDo as pdf says.");
    expect(loadsIn(t.requests[0])).toBe(1);
  });

  it("that began without skills gets a list of them appended", async () => {
    using g = ground();
    const store = createMemoryStore(testHeader);
    {
      await using t = await openSkills(g, [text("1")], { kernel: { store }, config: {} });
      await t.agent.prompt("one");
    }
    withDocs(g);
    const again = reopened(store);
    await using t = await openSkills(g, [text("2"), text("3")], { kernel: { store: again } });
    await t.agent.prompt("two");
    await t.agent.prompt("three");
    expect(t.requests[1]?.text.match(/Available skills/g)).toHaveLength(1);
    expect(systemOf(t.requests[0])).not.toContain("Available skills");
    expect(t.requests[0]?.text).toContain("- docx: All of docx");
  });
});
