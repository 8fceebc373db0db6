/**
 * The cost of skills: the tokens of a collection, and the tokens that sessions with some of its skills send, counted in
 * the requests that a model server received. The collection is the folder in SKILLS_DIR, or a generated one.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SkillLook } from "@scorel/skills/contract";
import type { Skills } from "../../plugins/skills/load/skills.ts";
import { writeCollection } from "./skills/collection.ts";
import { type Before, replay } from "./skills/replay.ts";
import { type Cast, castOf, docScenario, longScenario, pageScenario, type Scenario } from "./skills/scenarios.ts";
import { openFolder } from "./skills/session.ts";
import { type SkillSize, sizesOf } from "./skills/sizes.ts";
import { type Cost, costOf, leastShare, tokensIn, uncachedShare } from "./skills/tokens.ts";
import { toolSuite, type Verdict } from "./skills/tool-suite.ts";

const PLACEMENTS = ["append", "tool_result", "system"];
const LOADS = ["session", "turn", "once"];

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "scorel-skills-")));
const given = process.env.SKILLS_DIR;
const folder = given === undefined ? join(scratch, "skills") : folderOf(given);
/** Aims apply only to the generated collection. */
const aims = <T extends object>(aim: T) => (given === undefined ? aim : {});

/**
 * The tables of all placements and modes, skills and cases are printed only when rows of skills were asked for by name.
 */
const isAsked = (process.env.BENCH_WORDS ?? "").includes("skills");

function folderOf(path: string): string {
  if (!existsSync(path)) throw new Error(`SKILLS_DIR=${path}: there is no such folder`);
  return realpathSync(path);
}

async function costs(scenario: Scenario, table: object = {}, before: Before = "nothing"): Promise<Cost> {
  return costOf(await replay(folder, scenario, { table, before }));
}

async function figures(cast: Cast): Promise<object[]> {
  const [page, doc, long] = [pageScenario(cast), docScenario(cast), longScenario(cast)];
  const first = await costs(page);
  const bodies = await costs(page, { placement: "system" }, "bodies");
  const whole = await costs(page, { placement: "system" }, "bodies and docs");
  const [short, reference] = [await costs(doc), await costs(doc, { placement: "system", load: "turn" })];
  const longest = await costs(long);
  const sent = `skills, ${page.measured} requests, tokens sent`;
  const share = (requests: number) => `skills, ${requests} requests, share no cache serves`;
  return [
    { work: `${sent}: against all bodies`, ...tokens(first, bodies), ...aims({ aim: 0.1 }) },
    { work: `${sent}: against bodies and docs`, ...tokens(first, whole), ...aims({ aim: 0.02 }) },
    {
      work: `${share(doc.measured)}: against system, turn`,
      value: uncachedShare(short),
      baseline: uncachedShare(reference),
      unit: "%",
    },
    {
      work: `${share(long.measured)}: against the least there is`,
      value: uncachedShare(longest),
      baseline: leastShare(longest),
      unit: "%",
      ...aims({ limit: 6 }),
    },
    ...(isAsked ? await matrices({ page, doc, long }) : []),
  ];
}

function tokens({ prompt: value }: Cost, { prompt: baseline }: Cost) {
  return { value, baseline, unit: "tokens" };
}

/**
 * A table for each scenario: one line for each placement and mode, and lines for sessions that load everything before
 * the first request.
 */
async function matrices(scenarios: Record<string, Scenario>): Promise<object[]> {
  const tables: object[] = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const system = { placement: "system" };
    const [bodies, all] = [await costs(scenario, system, "bodies"), await costs(scenario, system, "bodies and docs")];
    const line = (cost: Cost) => [...cells(cost), percent(cost, bodies), percent(cost, all)];
    const lines: string[][] = [];
    for (const placement of PLACEMENTS)
      for (const load of LOADS) lines.push([placement, load, ...line(await costs(scenario, { placement, load }))]);
    lines.push(["all bodies", "", ...line(bodies)], ["bodies and docs", "", ...line(all)]);
    const title = `${name}: ${scenario.measured} requests by placement and mode, tokens`;
    const head = ["placement", "mode", "sent", "cacheable", "not", "share", "of all bodies", "of bodies and docs"];
    tables.push({ table: { title, head, lines } });
  }
  return tables;
}

function cells(cost: Cost): string[] {
  const { prompt, cached } = cost;
  return [...[prompt, cached, prompt - cached].map(whole), `${(100 - uncachedShare(cost)).toFixed(1)} %`];
}

function percent({ prompt }: Cost, { prompt: against }: Cost): string {
  return `${((100 * prompt) / against).toFixed(1)} %`;
}

function sizeRows(sizes: readonly SkillSize[], overview: string): object[] {
  const sum = (of: (size: SkillSize) => number) => sizes.reduce((all, size) => all + of(size), 0);
  const name = `skills, tokens of ${sizes.length}`;
  const row = (what: string, value: number) => ({ work: `${name}: ${what}`, value, unit: "tokens" });
  const docs = sum((size) => size.docs.length);
  const refused = sum((size) => size.refused.length);
  const left = refused > 0 ? `, ${refused} too large` : "";
  return [
    row("overview", tokensIn(overview)),
    row(
      "bodies",
      sum((size) => size.bodyTokens),
    ),
    row(
      `${docs} docs${left}`,
      sum((size) => size.docTokens),
    ),
    ...(isAsked ? [{ table: sizeTable(sizes) }] : []),
  ];
}

function sizeTable(sizes: readonly SkillSize[]) {
  const lines = sizes.map(({ name, line, bodyTokens, docs, docTokens }) => [
    name,
    ...[line, bodyTokens, docs.length, docTokens].map(whole),
  ]);
  return { title: "tokens by skill", head: ["skill", "in the overview", "body", "docs", "of docs"], lines };
}

function suiteRows(verdicts: readonly Verdict[]): object[] {
  const failed = verdicts.filter(({ problem }) => problem !== undefined);
  const ran = verdicts.filter(({ skipped }) => skipped === undefined).length;
  const lines = verdicts.map(({ skill, what, problem, skipped }) => [
    skill,
    what,
    problem ?? (skipped === undefined ? "holds" : `not run: ${skipped}`),
  ]);
  const table = { title: "cases run by skill_run", head: ["skill", "case", "verdict"], lines };
  return [
    { work: `skills, ${ran} cases by skill_run`, value: failed.length, unit: "failed", limit: 0 },
    ...(isAsked || failed.length > 0 ? [{ table }] : []),
  ];
}

/** Folders that looked like a skill but are none, and skills hidden by another one with the same name. */
function leftOut({ skipped, shadowed }: SkillLook): object[] {
  const hidden = shadowed.map(({ folder: own, by }) => [own, `${by} has the same name`]);
  const lines = [...skipped.map(({ folder: own, reason }) => [own, reason]), ...hidden];
  return lines.length === 0 ? [] : [{ table: { title: "left out", head: ["folder", "reason"], lines } }];
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

async function measure(): Promise<object[]> {
  await using t = await openFolder(folder, []);
  const sizes = await sizesOf(t);
  if (sizes.length === 0) throw new Error(`there is no skill in ${folder}`);
  const { overview } = t.kernel.find("skills") as Skills;
  return [
    ...sizeRows(sizes, overview.text),
    ...(await figures(castOf(sizes))),
    ...suiteRows(await toolSuite(t)),
    ...leftOut(t.skills.look),
  ];
}

try {
  if (given === undefined) writeCollection(folder);
  console.log(JSON.stringify(await measure()));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
