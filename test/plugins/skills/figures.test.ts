import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeCollection } from "../../bench/skills/collection.ts";
import { type Before, replay } from "../../bench/skills/replay.ts";
import {
  type Cast,
  castOf,
  docScenario,
  longScenario,
  pageScenario,
  type Scenario,
} from "../../bench/skills/scenarios.ts";
import { openFolder } from "../../bench/skills/session.ts";
import { sizesOf } from "../../bench/skills/sizes.ts";
import { costOf, leastShare, tokensIn, uncachedShare, type Wire } from "../../bench/skills/tokens.ts";
import { type Ground, ground } from "./setup.ts";

/** A folder with a collection of skills. */
function shelf(g: Ground, options: Parameters<typeof writeCollection>[1] = {}): string {
  const folder = join(g.home, "shelf");
  writeCollection(folder, options);
  return folder;
}
function filesBelow(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: path.slice(folder.length + 1), text: readFileSync(path, "utf8") }));
}
async function castIn(folder: string): Promise<Cast> {
  await using t = await openFolder(folder, []);
  return castOf(await sizesOf(t));
}

describe("the collection of skills for measurements", () => {
  it("is the same for the same seed, and different for another", () => {
    using g = ground();
    using other = ground();
    const small = { scale: 0.02 };
    const first = filesBelow(shelf(g, small));
    expect(filesBelow(shelf(other, small))).toEqual(first);
    expect(filesBelow(shelf(other, { ...small, seed: 2 }))).not.toEqual(first);
  });

  it("has the sizes of the public collection, in bytes and approximately in tokens", async () => {
    using g = ground();
    const folder = shelf(g);
    const files = filesBelow(folder);
    const bytes = (some: readonly { text: string }[]) => some.reduce((sum, { text }) => sum + text.length, 0);
    const tokens = (some: readonly { text: string }[]) => some.reduce((sum, { text }) => sum + tokensIn(text), 0);
    const bodies = files.filter(({ path }) => path.endsWith("/SKILL.md"));
    const docs = files.filter(({ path }) => /\.(?:md|txt)$/.test(path) && !path.endsWith("/SKILL.md"));
    const licences = docs.filter(({ path }) => /OFL|LICENSE/.test(path));
    expect([bodies.length, bytes(bodies), docs.length, bytes(docs)]).toEqual([18, 242_633, 135, 1_152_208]);
    expect(tokens(bodies) / 55_466).toBeCloseTo(1, 1);
    expect(tokens(docs) / 268_442).toBeCloseTo(1, 1);
    expect(tokens(licences) / tokens(docs)).toBeCloseTo(0.2, 1);
    await using t = await openFolder(folder, []);
    expect([t.skills.look.skills.length, t.skills.look.skipped]).toEqual([18, []]);
    expect((await sizesOf(t)).flatMap(({ docs: own }) => own)).toHaveLength(docs.length - licences.length);
  });
});

describe("the cost of requests", () => {
  const long = "one word after the other ".repeat(400);
  const wire = (...texts: string[]): Wire => ({
    messages: texts.map((content) => ({ role: "user", content })),
    tools: [],
  });

  it("is what was sent, minus the part that the previous request begins with, in steps of 128", () => {
    const [first, next] = [wire(long), wire(long, "and more")];
    const [one, two] = [costOf([first]).prompt, costOf([next]).prompt];
    expect(costOf([first, next])).toEqual({ requests: 2, prompt: one + two, cached: one - (one % 128), last: two });
  });

  it("counts nothing as cached below 1,024 tokens, or after a change", () => {
    expect(costOf([wire("short"), wire("short", "more")]).cached).toBe(0);
    expect(costOf([wire(`a ${long}`), wire(`b ${long}`)]).cached).toBe(0);
    const changed = costOf([wire(long, "a", long), wire(long, "b", long)]).cached;
    expect(changed).toBe(costOf([wire(long), wire(long)]).cached);
  });

  it("counts the unchanged start of a message that grew", () => {
    const { cached } = costOf([wire(long), wire(`${long}and something at its end`)]);
    expect(cached).toBe(costOf([wire(long), wire(long)]).cached);
  });
});

describe("requests of a session with skills", () => {
  it("in the placement append only extend the previous one, in every mode, whatever is loaded, selected, run and loaded again", async () => {
    using g = ground();
    const folder = shelf(g, { scale: 0.05 });
    const cast = await castIn(folder);
    const long = longScenario(cast, 2_000);
    const played: [string, Scenario][] = [
      ["session", pageScenario(cast)],
      ["session", docScenario(cast)],
      ["session", long],
      ["turn", long],
      ["once", long],
    ];
    for (const [load, scenario] of played) {
      const requests = await replay(folder, scenario, { table: { load } });
      for (const [at, { messages, ...settings }] of requests.slice(1).entries()) {
        const { messages: before, ...same } = requests[at]!;
        const where = { load, at };
        expect({ ...where, settings, messages: messages.slice(0, before.length) }).toEqual({
          ...where,
          settings: same,
          messages: before,
        });
      }
    }
  });

  describe("with the whole collection", () => {
    let g: Ground;
    let folder: string;
    let cast: Cast;
    beforeAll(async () => {
      g = ground();
      folder = shelf(g);
      cast = await castIn(folder);
      return () => g[Symbol.dispose]();
    });
    const costs = async (scenario: Scenario, table: object = {}, before: Before = "nothing") =>
      costOf(await replay(folder, scenario, { table, before }));

    it("send a tenth of all bodies, and a fiftieth of bodies and docs, over six requests", async () => {
      const page = pageScenario(cast);
      const { prompt } = await costs(page);
      const system = { placement: "system" };
      expect(prompt / (await costs(page, system, "bodies")).prompt).toBeLessThanOrEqual(0.1);
      expect(prompt / (await costs(page, system, "bodies and docs")).prompt).toBeLessThanOrEqual(0.02);
    });

    it("can be cached by 94 % over three turns after a long history, which is nearly the maximum", async () => {
      const cost = await costs(longScenario(cast));
      expect(cost.requests).toBe(21);
      expect(uncachedShare(cost)).toBeLessThanOrEqual(6);
      // The loss is due to the steps of the cache: half a step for each request.
      expect(uncachedShare(cost) - leastShare(cost)).toBeLessThan((100 * 21 * 128) / cost.prompt);
      const reference = await costs(longScenario(cast), { placement: "system", load: "turn" });
      expect(uncachedShare(reference)).toBeGreaterThan(4 * uncachedShare(cost));
    });
  });
});

describe("the roles in a scenario", () => {
  const actor = (name: string, body: number, docs: string[] = []) => ({ name, body, docs });

  it("are played by the public skills if all of them are present, otherwise by the largest skills", () => {
    const names = ["brand-guidelines", "frontend-design", "internal-comms", "xlsx", "pptx"];
    const all = [actor("large", 999, ["a.md"]), ...names.map((name) => actor(name, 1))];
    expect(Object.values(castOf(all)).map(({ name }) => name)).toEqual(names);
    const own = [actor("a", 1), actor("b", 5), actor("c", 4, ["c.md"]), actor("d", 3), actor("e", 2)];
    expect(Object.values(castOf(own)).map(({ name }) => name)).toEqual(["b", "d", "c", "e", "a"]);
  });

  it("can be played by a single skill", async () => {
    const only = actor("only", 1);
    expect(new Set(Object.values(castOf([only])))).toEqual(new Set([only]));
    expect(() => castOf([])).toThrow("there is no skill");
  });
});
