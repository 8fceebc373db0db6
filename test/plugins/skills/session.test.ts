import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import compaction from "@scorel/compaction";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { testHeader } from "../../harness.ts";
import { type RecordedRequest, type Reply, text, toolCall } from "../../model-server.ts";
import { asksForSummary, playing, words } from "../compaction/setup.ts";
import { addSkill, type Ground, ground, openSkills, results, sent, skillText } from "./setup.ts";

const load = (skill: string, more: object = {}) => toolCall("skill_load", { skill, ...more });
const loadsIn = (request: RecordedRequest | undefined) => request?.text.match(/Do as \w+ says/g) ?? [];
const withTwo = (g: Ground) => {
  addSkill(g, "pdf", { "a.md": "Ay" });
  addSkill(g, "docx");
};

describe("branches of a session", () => {
  it("have their own loaded skills, which are sent as before", async () => {
    for (const placement of ["append", "system", "tool_result"]) {
      using g = ground();
      withTwo(g);
      const script = [text("0"), load("pdf", { docs: ["a.md"] }), text("1"), load("docx"), text("2"), text("3")];
      await using t = await openSkills(g, script, { config: { placement } });
      await t.agent.prompt("zero");
      const zero = t.session.activeLeaf;
      await t.agent.prompt("one");
      const one = t.session.activeLeaf;
      await t.session.append("rewind", { targetEventId: zero });
      await t.agent.prompt("two");
      await t.session.append("branch", { leafEventId: one as string });
      expect(t.session.projection("skillState").keys).toEqual({
        "temp:skill:loaded:pdf": "1",
        "temp:skill:docs:pdf": '["a.md"]',
      });
      await t.agent.prompt("three");
      expect(t.requests.map(loadsIn)).toEqual([
        [],
        [],
        ["Do as pdf says"],
        [],
        ["Do as docx says"],
        ["Do as pdf says"],
      ]);
      const before = sent(t.requests[2]!);
      expect(sent(t.requests[5]!).slice(0, before.length)).toEqual(before);
    }
  });
});

describe("a session whose skill was removed", () => {
  it("continues with the same bytes in another process, appends a notice, and cannot load the skill again", async () => {
    for (const placement of ["append", "system", "tool_result"]) {
      using g = ground();
      withTwo(g);
      const store = createMemoryStore(testHeader);
      const config = { placement };
      const before: RecordedRequest[] = [];
      {
        const script = [load("pdf", { docs: ["a.md"] }), text("1")];
        await using t = await openSkills(g, script, { kernel: { store }, config });
        await t.agent.prompt("one");
        before.push(...t.requests);
      }
      rmSync(join(g.home, ".scorel/skills/pdf"), { recursive: true });
      const again = createMemoryStore(
        testHeader,
        store.records.map((record) => JSON.parse(record)),
      );
      await using t = await openSkills(g, [load("pdf"), text("2")], { kernel: { store: again }, config });
      await t.agent.prompt("two");
      const [earlier, later] = [sent(before.at(-1)!), sent(t.requests[0]!)];
      expect(later.slice(0, earlier.length)).toEqual(earlier);
      expect(t.requests[0]?.body.tools).toEqual(before[0]?.body.tools);
      expect(later.at(-1)?.text).toContain("- no longer there: pdf");
      expect(results(t).at(-1)).toBe("unknown skill: pdf. The skills here are: docx.");
      expect(loadsIn(t.requests[1])).toEqual(["Do as pdf says"]);
    }
  });
});

describe("a compacted session", () => {
  it("is sent with the same bytes by another process, whatever has become of the skill, and can be compacted again", async () => {
    for (const placement of ["append", "system", "tool_result"]) {
      using g = ground();
      addSkill(g, "pdf", { "a.md": "Ay" }, skillText("pdf", "All of pdf", `Do as pdf says. ${words(200, "pdf")}`));
      const store = createMemoryStore(testHeader);
      const options = {
        plugins: [{ plugin: compaction, config: { threshold: 3_500, keep: 900, layers: ["summary"] } }],
        model: { contextWindow: 10_000 },
        config: { placement },
      };
      const filling = ["a", "b", "c"].map((mark) => text(words(900, mark)));
      const summing = (replies: Reply[]) => playing(replies, () => text("S1"));
      const before: RecordedRequest[] = [];
      {
        const script = summing([load("pdf", { docs: ["a.md"] }), ...filling, text("last")]);
        await using t = await openSkills(g, script, { ...options, kernel: { store } });
        for (const turn of ["one", "two", "three", "four"]) await t.agent.prompt(turn);
        expect(t.requests.filter(asksForSummary)).toHaveLength(1);
        before.push(...t.requests);
      }
      rmSync(join(g.home, ".scorel/skills/pdf"), { recursive: true });
      const again = createMemoryStore(
        testHeader,
        store.records.map((record) => JSON.parse(record)),
      );
      await using t = await openSkills(g, summing([text("ok"), ...filling, text("end")]), {
        ...options,
        kernel: { store: again },
      });
      for (const turn of ["five", "six", "seven", "eight", "nine"]) await t.agent.prompt(turn);
      const [earlier, later] = [sent(before.at(-1)!), sent(t.requests[0]!)];
      expect(later.slice(0, earlier.length)).toEqual(earlier);
      expect(t.requests.filter(asksForSummary)).toHaveLength(1);
      for (const request of t.requests.filter((each) => !asksForSummary(each))) {
        expect(loadsIn(request)).toEqual(["Do as pdf says"]);
        expect(request.text.match(/\[Doc\] a\.md\\n\\nAy/g)).toHaveLength(1);
      }
    }
  });
});

describe("a message", () => {
  it("that asks for an unknown skill gets a notice once, and is sent anyway", async () => {
    using g = ground();
    withTwo(g);
    await using t = await openSkills(g, [text("1"), text("2")]);
    await t.agent.prompt("/skill:nothing do it");
    await t.agent.prompt("costs $5, see $HOME");
    expect(sent(t.requests[0]!).at(-1)).toEqual({ role: "user", text: "/skill:nothing do it" });
    expect(t.kernel.failures.map(({ message }) => message)).toEqual([
      "unknown skill: nothing. The skills here are: docx, pdf.",
    ]);
  });

  it("that asks for a skill of a project which is not trusted gets a notice that says so", async () => {
    using g = ground();
    const file = join(g.project, ".claude/skills/deploy/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, skillText("deploy", "Deploys."));
    const cwd = join(g.project, "packages");
    mkdirSync(cwd);
    const said = async (workspace: object) => {
      await using t = await openSkills(g, [text("1")], { workspace: { cwd, ...workspace } });
      await t.agent.prompt("/skill:deploy now");
      return t.kernel.failures.map(({ message }) => message);
    };
    expect(await said({})).toEqual([
      `The skill deploy is not used, because its project is not trusted: ${file}. To look at what the project has, and trust it: scorel trust add`,
    ]);
    expect(await said({ trusted: join(g.project, ".scorel") })).toEqual([
      "unknown skill: deploy. The skills here are: none.",
    ]);
  });
});
