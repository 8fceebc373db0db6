import { describe, expect, it } from "vitest";
import { GUIDANCE, overviewOf } from "../../../plugins/skills/match/overview.ts";
import { text, toolCall } from "../../model-server.ts";
import { fc } from "../../property.ts";
import { addSkill, ground, openSkills, payloads, results, sent, skillText } from "./setup.ts";

type Row = Parameters<typeof overviewOf>[0][number];
const row = (name: string, description: string, source: Row["source"] = "user"): Row => ({ name, description, source });
const numbered = (count: number, length: number) =>
  Array.from({ length: count }, (_x, at) => row(`s${String(at).padStart(3, "0")}`, "d".repeat(length)));
const lines = (overview: { text: string }) => overview.text.split("\n").filter((line) => line.startsWith("- "));
const note = (overview: { text: string }) => overview.text.split("\n").find((line) => line.startsWith("("));

describe("the overview", () => {
  it("has a line for each skill in the order of their names, and explains how to use them", () => {
    expect(overviewOf([row("b", "Two"), row("a", "One\ntwo")], 1_000)).toEqual({
      text: `Available skills:\n- a: One two\n- b: Two\n${GUIDANCE}`,
      shortened: false,
    });
    expect(overviewOf([], 1_000)).toEqual({ text: "", shortened: false });
  });

  it("shortens descriptions first, all to the same length, and tells where the rest is", () => {
    const overview = overviewOf([...numbered(20, 500), row("short", "Stays whole")], 2_000);
    const widths = new Set(lines(overview).map((line) => line.length));
    expect(lines(overview)).toHaveLength(21);
    expect(lines(overview)).toContain("- short: Stays whole");
    expect(widths.size).toBe(2);
    expect(Buffer.byteLength(lines(overview).join("\n"))).toBeLessThanOrEqual(2_000);
    expect(Buffer.byteLength(lines(overview).join("\n"))).toBeGreaterThan(1_900);
    expect([overview.shortened, note(overview)]).toEqual([
      true,
      "(descriptions are shortened: skill_search finds skills by words.)",
    ]);
  });

  it("describes the skills nearest to the working directory if there is no room for all, and names the others", () => {
    const own = Array.from({ length: 10 }, (_x, at) => row(`z${at}`, `Own words ${at} ${"o".repeat(200)}`, "project"));
    const overview = overviewOf([...numbered(300, 500), ...own], 8_192);
    const described = lines(overview).filter((line) => line.includes(": "));
    expect(described.filter((line) => line.startsWith("- z"))).toHaveLength(10);
    expect(described.length).toBeGreaterThan(30);
    expect(lines(overview)).toHaveLength(310);
    expect(Buffer.byteLength(lines(overview).join("\n"))).toBeLessThanOrEqual(8_192);
  });

  it("describes skills with a higher rank before nearer ones, without changing the order of lines", () => {
    const ranks = new Map([
      ["s290", 2],
      ["s150", 1],
    ]);
    const overview = overviewOf([...numbered(300, 500), row("own", "x".repeat(200), "project")], 8_192, "", ranks);
    const described = lines(overview).filter((line) => line.includes(": "));
    expect(described.map((line) => line.split(":")[0])).toEqual(expect.arrayContaining(["- own", "- s150", "- s290"]));
    const names = lines(overview).map((line) => /^- ([^:]+)/.exec(line)?.[1] ?? "");
    expect(names).toEqual([...names].sort());
  });

  it("always keeps the names of a hundred skills, and counts the others", () => {
    expect(lines(overviewOf(numbered(100, 500), 10))).toHaveLength(100);
    const overview = overviewOf([...numbered(150, 10), row("zz", "The project's", "project")], 10);
    expect(lines(overview)).toHaveLength(100);
    expect(lines(overview)).toContain("- zz");
    expect(note(overview)).toBe(
      "(51 more skills are not named here, and descriptions are shortened: skill_search finds skills by words.)",
    );
  });

  it("never exceeds its budget except for those names, counts what it leaves out, and depends only on the skills", () => {
    const rows = fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-z]{1,12}$/),
        description: fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }),
        source: fc.constantFrom<Row["source"]>("project", "user", "shipped"),
      }),
      { selector: ({ name }) => name, maxLength: 160 },
    );
    fc.assert(
      fc.property(rows, fc.nat(12_000), (given, budget) => {
        const overview = overviewOf(given, budget, "");
        const shown = lines(overview);
        const left = Number(/\((\d+) more/.exec(note(overview) ?? "")?.[1] ?? 0);
        expect(shown.length + left).toBe(given.length);
        if (given.length > 100) expect(shown.length).toBeGreaterThanOrEqual(100);
        const names = shown.every((line) => /^- [a-z]+$/.test(line));
        if (!names) expect(Buffer.byteLength(shown.join("\n"))).toBeLessThanOrEqual(budget);
        expect(overviewOf(given.toReversed(), budget, "")).toEqual(overview);
      }),
    );
  });
});

describe("skill_search", () => {
  const many = { config: { overview: 60 } };

  it("is offered only if the list was shortened, and finds skills by words in their names and descriptions", async () => {
    using g = ground();
    for (const [name, what] of [
      ["pdf", "Reads and fills forms"],
      ["docx", "Writes letters, also from pdf"],
      ["none", "Else"],
    ])
      addSkill(g, name as string, {}, skillText(name as string, what as string));
    const search = (query: string) => toolCall("skill_search", { query });
    await using t = await openSkills(g, [search("PDF forms"), search("zebra"), text("ok")], many);
    await t.agent.prompt("find");
    expect(results(t)).toEqual([
      "- pdf: Reads and fills forms\n- docx: Writes letters, also from pdf",
      "No skill contains any of these words: zebra.",
    ]);
    const names = (request: any) => request.body.tools.map((each: any) => each.function.name);
    expect(names(t.requests[0])).toContain("skill_search");
    await using whole = await openSkills(g, [text("ok")]);
    await whole.agent.prompt("hi");
    expect(names(whole.requests[0])).not.toContain("skill_search");
  });
});

describe("the index of a session", () => {
  it("is written once, beside the conversation, and has the same names as the prompt", async () => {
    using g = ground();
    addSkill(g, "pdf");
    await using t = await openSkills(g, [text("one"), text("two")]);
    await t.agent.prompt("hi");
    await t.agent.prompt("again");
    expect(payloads(t, "skill_index")).toEqual([
      {
        type: "skill_index",
        snapshot: true,
        skills: [
          {
            name: "pdf",
            description: "All of pdf",
            source: "user",
            folder: `${g.home}/.scorel/skills/pdf`,
            digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        ],
        removed: [],
      },
    ]);
    expect([...t.session.tree.leaves()]).toHaveLength(1);
  });

  it("changes with the folders: it is appended once, and prompt and tools stay the same", async () => {
    using g = ground();
    addSkill(g, "pdf");
    addSkill(g, "old");
    await using t = await openSkills(g, [
      toolCall("skill_load", { skill: "pdf" }),
      ...["1", "2", "3", "4"].map((each) => text(each)),
    ]);
    await t.agent.prompt("one");
    addSkill(g, "pdf", {}, skillText("pdf", "All of pdf", "Do other things."));
    addSkill(g, "new");
    const { rmSync } = await import("node:fs");
    rmSync(`${g.home}/.scorel/skills/old`, { recursive: true });
    await t.agent.prompt("two");
    await t.agent.prompt("three");
    const said = [
      "The available skills have changed:",
      "- new: new: All of new",
      "- changed: pdf; the text loaded above is an earlier version, skill_load loads the new one",
      "- no longer there: old",
    ].join("\n");
    expect(payloads(t, "harness_item")).toMatchObject([{ kind: "skill_delta", origin: "skill", text: said }]);
    expect(payloads(t, "skill_index")[1]).toMatchObject({
      skills: [{ name: "new" }, { name: "pdf" }],
      removed: ["old"],
    });
    const fixed = t.requests.map(({ body }) => JSON.stringify([body.messages[0], body.tools]));
    expect(new Set(fixed).size).toBe(1);
    for (const index of [1, 2, 3]) {
      const [earlier, later] = [index - 1, index].map((at) => sent(t.requests[at]!)) as [object[], object[]];
      expect(later.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
    }
    expect(t.requests.at(-1)?.text).toContain("Do as pdf says.");
    expect(t.requests.at(-1)?.text).not.toContain("Do other things.");
    expect(t.skills.look.skills.map(({ name }) => name)).toEqual(["new", "pdf"]);
  });

  it("is appended once as names if the prompt has no room for the list", async () => {
    using g = ground();
    for (const name of ["pdf", "docx"]) addSkill(g, name, {}, skillText(name, "Long words. ".repeat(40)));
    await using t = await openSkills(g, [text("1"), text("2")], { model: { contextWindow: 2_000 } });
    await t.agent.prompt("one");
    await t.agent.prompt("two");
    const names = "Available skills, which skill_load loads by name: docx, pdf.";
    expect(payloads(t, "harness_item")).toMatchObject([{ kind: "skill_listing", text: names }]);
    expect(sent(t.requests[0]!)[0]?.text).not.toContain("Available skills");
    expect(sent(t.requests[1]!).filter(({ text: said }) => said.includes(names))).toHaveLength(1);
  });

  it("is extended by a load if a changed skill is not in it yet", async () => {
    using g = ground();
    addSkill(g, "pdf");
    const script = (_request: unknown, index: number) => {
      if (index === 0) addSkill(g, "pdf", {}, skillText("pdf", "All of pdf", "New words."));
      return index === 0 ? toolCall("skill_load", { skill: "pdf" }) : text("ok");
    };
    await using t = await openSkills(g, script);
    await t.agent.prompt("go");
    expect(results(t)).toEqual(["loaded: pdf\nIt has changed since this session listed it; this is its current text."]);
    expect(t.requests[1]?.text).toContain("New words.");
  });
});
