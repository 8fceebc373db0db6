import compaction from "@scorel/compaction";
import { describe, expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { asksForSummary, playing, tokensOf, words } from "../compaction/setup.ts";
import { addSkill, ground, openSkills, skillText } from "./setup.ts";

const load = (skill: string) => toolCall("skill_load", { skill });
const body = (name: string, tokens: number) => skillText(name, `All of ${name}`, words(tokens, name));
const filling = ["a", "b", "c"].map((mark) => text(words(900, mark)));
const small = (config: object) => ({
  plugins: [{ plugin: compaction, config: { threshold: 3_500, keep: 900, layers: ["summary"], ...config } }],
  model: { contextWindow: 10_000 },
});

describe("the size of loaded text", () => {
  it("counts before the model has read it: a request that would be too large is compacted first", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 1_500));
    const script = playing([...filling, load("pdf"), text("done")], () => text("S1"));
    await using t = await openSkills(g, script, small({}));
    for (const turn of ["one", "two", "three"]) await t.agent.prompt(turn);
    const before = t.agent.contextTokens();
    await t.agent.prompt("four");
    const [loading, summary, after] = t.requests.slice(3);
    expect(t.requests.map(asksForSummary)).toEqual([false, false, false, false, true, false]);
    expect([before, tokensOf(loading!)].every((tokens) => tokens < 3_500)).toBe(true);
    expect(summary?.text).not.toContain("pdf pdf");
    expect(after?.text).toContain("S1");
    expect(after?.text.match(/\[Loaded\] pdf/g)).toHaveLength(1);
    expect(tokensOf(after!)).toBeLessThan(3_500);
  });

  it.each(["append", "system", "tool_result"])(
    "is part of what a compaction reports as remaining, in %s",
    async (placement) => {
      using g = ground();
      addSkill(g, "pdf", {}, body("pdf", 1_000));
      const script = playing([load("pdf"), ...filling, text("end")], () => text("S1"));
      await using t = await openSkills(g, script, { ...small({}), config: { placement } });
      for (const turn of ["one", "two", "three", "four"]) await t.agent.prompt(turn);
      const [compact] = t.session.tree.ofType("compact");
      const at = t.requests.findIndex(asksForSummary);
      const real = tokensOf(t.requests[at + 1]!);
      expect(t.requests[at + 1]?.text).toContain("[Loaded] pdf");
      expect(compact?.tokensAfter).toBeGreaterThan(real * 0.9);
      expect(compact?.tokensAfter).toBeLessThan(real * 1.1);
    },
  );

  it("is not counted as freed if it returns after a compaction", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 2_000));
    const script = playing([load("pdf"), text("1"), text("2"), text("3")], () => text("S1"));
    await using t = await openSkills(g, script, small({ threshold: 1_500, keep: 300 }));
    for (const turn of ["one", "two", "three"]) await t.agent.prompt(turn);
    expect(t.agent.contextTokens()).toBeGreaterThan(2_000);
    expect(t.requests.map(asksForSummary)).toEqual([false, false, false, false]);
  });

  it("reduces what stays verbatim, so that both are below the threshold", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, body("pdf", 1_500));
    const many = Array.from({ length: 8 }, (_, at) => text(words(300, `t${at}`)));
    const script = playing([load("pdf"), ...many], () => text("S1"));
    await using t = await openSkills(g, script, small({ keep: 2_000 }));
    for (let turn = 0; turn < 8; turn++) await t.agent.prompt(`turn ${turn}`);
    const at = t.requests.findIndex(asksForSummary);
    const kept = t.requests[at + 1]?.text.match(/(?:t\dx ){300}/g)?.length ?? 0;
    // Two thousand tokens would be six skills.
    expect(kept).toBeGreaterThan(2);
    expect(kept).toBeLessThan(5);
  });
});
