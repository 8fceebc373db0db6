import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordUse, usesIn } from "../../../plugins/skills/library/uses.ts";
import { text, toolCall } from "../../model-server.ts";
import { addSkill, type Ground, ground, openSkills, sent, skillText } from "./setup.ts";

/** Gives a session a log, so that its loads count. */
const kept = (g: Ground) => ({ file: join(g.home, "sessions/one.jsonl") });
const usesFile = (g: Ground) => join(g.home, ".scorel/cache/skill-uses");

/** Three hundred skills of which few can be described, two of them about special subjects. */
function manySkills(g: Ground): void {
  const say = (name: string, what: string) => addSkill(g, name, {}, skillText(name, what));
  for (let at = 0; at < 300; at++)
    say(`a${String(at).padStart(3, "0")}`, `Number ${at} ${"of a long list ".repeat(20)}`);
  say("kiln-firing", "Plans the firing of pottery in a kiln, by cone and glaze");
  say("zither-tuning", "Tunes a zither by ear or by machine");
}

/** The lines of the list that describe one of the two. */
const described = (system: string) => system.split("\n").filter((line) => /^- (?:kiln|zither)\S*: /.test(line));

describe("a list without room for all descriptions", () => {
  it("gets a hint about a relevant skill, once, after a message that is about its subject", async () => {
    using g = ground();
    manySkills(g);
    await using t = await openSkills(g, [text("ok"), text("ok"), text("ok")]);
    await t.agent.prompt("hello");
    await t.agent.prompt("Which cone and glaze does this kiln need?");
    await t.agent.prompt("Is that the right cone for the glaze in my kiln?");
    const hint = "These skills may fit:\n- kiln-firing: Plans the firing of pottery in a kiln, by cone and glaze";
    const hinted = (request: (typeof t.requests)[number]) =>
      sent(request).flatMap(({ text: said }, at) => (said.includes(hint) ? [at] : []));
    expect(t.requests.map(hinted)).toEqual([[], [4], [4]]);
    expect(new Set(t.requests.map((request) => sent(request)[0]?.text)).size).toBe(1);
  });

  it("gets no hint if the skill or all skills are described already", async () => {
    using g = ground();
    addSkill(
      g,
      "kiln-firing",
      {},
      skillText("kiln-firing", "Plans the firing of pottery in a kiln, by cone and glaze"),
    );
    await using t = await openSkills(g, [text("ok")]);
    await t.agent.prompt("Which cone and glaze does this kiln need?");
    expect(JSON.stringify(t.requests[0]?.body.messages)).not.toContain("These skills may fit");
  });

  it("describes skills that were loaded in earlier sessions, and stays the same within a session", async () => {
    using g = ground();
    manySkills(g);
    const load = toolCall("skill_load", { skill: "zither-tuning" });
    await using first = await openSkills(g, [load, text("ok"), text("ok")], { workspace: kept(g) });
    await first.agent.prompt("hello");
    await first.agent.prompt("and my kiln?");
    const systems = first.requests.map((request) => sent(request)[0]?.text ?? "");
    expect(new Set(systems).size).toBe(1);
    expect(described(systems[0] as string)).toEqual([]);
    await using later = await openSkills(g, [text("ok")]);
    await later.agent.prompt("hello");
    expect(described(sent(later.requests[0] as never)[0]?.text ?? "")).toEqual([
      expect.stringMatching(/^- zither-tuning: /),
    ]);
  });

  it("ignores loads of sessions that are not saved, and works where counts cannot be written", async () => {
    using g = ground();
    manySkills(g);
    const script = () => [toolCall("skill_load", { skill: "zither-tuning" }), text("ok")];
    await using unsaved = await openSkills(g, script());
    await unsaved.agent.prompt("hello");
    expect(statSync(usesFile(g), { throwIfNoEntry: false })).toBeUndefined();
    mkdirSync(usesFile(g), { recursive: true });
    await using t = await openSkills(g, script(), { workspace: kept(g) });
    await t.agent.prompt("hello");
    expect(sent(t.requests[1] as never).at(-1)?.text).toContain("loaded: zither-tuning");
  });
});

describe("the counts of loaded skills", () => {
  it("cover the latest few thousand loads, in a small file that only this user can read", () => {
    using g = ground();
    for (let at = 0; at < 3; at++) recordUse(g.home, "näh maschine");
    expect(usesIn(g.home)).toEqual(new Map([["näh maschine", 3]]));
    expect(statSync(usesFile(g)).mode & 0o777).toBe(0o600);
    writeFileSync(usesFile(g), `old\n${"new\n".repeat(65_536)}`);
    recordUse(g.home, "last");
    expect(readFileSync(usesFile(g)).length).toBeLessThanOrEqual(65_536);
    expect([...usesIn(g.home).keys()]).toEqual(["new", "last"]);
  });

  it("count a truncated line as an unknown skill", () => {
    using g = ground();
    recordUse(g.home, "pdf");
    appendFileSync(usesFile(g), "docx%E");
    expect(usesIn(g.home).get("pdf")).toBe(1);
  });
});
