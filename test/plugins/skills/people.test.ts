import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import commands from "@scorel/commands";
import type {} from "@scorel/commands/contract";
import { describe, expect, it } from "vitest";
import type { Skills } from "../../../plugins/skills/load/skills.ts";
import { namesToMention, skillCommands } from "../../../plugins/skills/match/commands.ts";
import { mentioned } from "../../../plugins/skills/match/mentions.ts";
import { text, toolCall } from "../../model-server.ts";
import { addSkill, ground, openSkills, payloads, sent, skillText } from "./setup.ts";

const skill = (name: string) => ({ name }) as Parameters<typeof mentioned>[1][number];
const known = ["pdf", "pdf-forms", "v1.2", "мой", "two words"].map(skill);
const namesIn = (said: string) => mentioned(said, known).map(({ name }) => name);

describe("a message", () => {
  it.each([
    ["$pdf", ["pdf"]],
    ["use ($pdf), then $pdf-forms.", ["pdf", "pdf-forms"]],
    ["$v1.2. And $мой!", ["v1.2", "мой"]],
    ["/skill:pdf fill it with $pdf", ["pdf"]],
    ["  /skill:v1.2", ["v1.2"]],
    ["costs 5$pdf, \\$pdf, $$pdf, a_$pdf", []],
    ["$pdfs $PDF $nothing $ pdf", []],
    ["用$pdf看看，再用$pdf-forms填写", ["pdf", "pdf-forms"]],
    ["$pdfを使って。$pdf로 바꿔", ["pdf"]],
    ["$мойк $pdfs看", []],
    ["say /skill:pdf", []],
    ["`$pdf` and ```\necho $pdf\n``` and `it", []],
    ["```sh\n$pdf", []],
  ])("names skills: %s", (said, names) => {
    expect(namesIn(said)).toEqual(names);
  });

  it("names at most eight", () => {
    const many = Array.from({ length: 12 }, (_x, at) => skill(`s${at}`));
    expect(mentioned(many.map(({ name }) => `$${name}`).join(" "), many)).toHaveLength(8);
  });
});

describe("a skill that a person names", () => {
  it("is loaded before the first request, even if it is hidden from the model", async () => {
    using g = ground();
    addSkill(g, "mine", {}, "---\ndescription: For people\ndisable-model-invocation: true\n---\nDo it.");
    await using t = await openSkills(g, [text("1"), text("2")]);
    await t.agent.prompt("/skill:mine now");
    await t.agent.prompt("and $mine again");
    expect(t.requests[1]?.text.match(/Do it\./g)).toHaveLength(1);
    expect(sent(t.requests[0]!).at(-1)?.text).toBe("[Loaded] mine\n\nDo it.\nDocs loaded: none");
    expect(payloads(t, "skill_state")).toEqual([
      {
        type: "skill_state",
        why: "user",
        stateDelta: { "temp:skill:loaded:mine": "1" },
        skills: [{ name: "mine", digest: expect.any(String), content: expect.any(String), docs: [] }],
      },
    ]);
  });

  it("is not loaded by a text that somebody else has written, such as a prompt that a model gives to a subagent", async () => {
    using g = ground();
    addSkill(g, "mine", {}, "---\ndescription: For people\ndisable-model-invocation: true\n---\nDo it.");
    await using t = await openSkills(g, [text("1"), text("2")]);
    await (await t.agent.send("/skill:mine now", { mentions: false })).turn;
    await (await t.agent.send([{ type: "text", text: "and $mine again" }], { mentions: false })).turn;
    expect(t.requests.map(({ text: sentText }) => sentText.includes("Do it."))).toEqual([false, false]);
    expect(payloads(t, "skill_state")).toEqual([]);
  });

  it("in a message during a turn is loaded for the next request of the turn", async () => {
    using g = ground();
    addSkill(g, "pdf");
    const script = (_request: unknown, index: number) => {
      if (index === 0) t.agent.steer("better with $pdf");
      return index === 0 ? toolCall("skill_list_docs", { skill: "pdf" }) : text("ok");
    };
    await using t = await openSkills(g, script);
    await t.agent.prompt("go");
    expect(t.requests[1]?.text).toContain("Do as pdf says.");
  });

  it("is an ordinary word if the skill no longer exists", async () => {
    using g = ground();
    addSkill(g, "pdf");
    await using t = await openSkills(g, [text("ok")]);
    const { rmSync } = await import("node:fs");
    rmSync(`${g.home}/.scorel/skills/pdf/SKILL.md`);
    g.file(".scorel/skills/pdf/SKILL.md", "x".repeat(300_000));
    expect(await (await t.agent.send("with $pdf")).turn).toMatchObject({ reason: "completed" });
    expect(payloads(t, "skill_state")).toEqual([]);
  });
});

describe("the names after a $", () => {
  it("are those by which a message can mention a skill", () => {
    const names = ["pdf", "v1.2", "мой", "two words", "-x", "ends."];
    expect(namesToMention({ look: { skills: names.map(skill) } } as never)).toEqual(["pdf", "v1.2", "мой"]);
    for (const name of ["pdf", "v1.2", "мой"]) expect(mentioned(`$${name}`, names.map(skill))).toHaveLength(1);
  });
});

describe("the command of a skill", () => {
  it("sends a message that names it, and is listed with the others", async () => {
    using g = ground();
    addSkill(g, "pdf");
    addSkill(g, "spaces", {}, "---\nname: two words\ndescription: d\n---\nText");
    await using t = await openSkills(g, [text("ok")], { plugins: [commands] });
    const own = skillCommands(t.skills as Skills);
    expect(Object.entries(own).map(([name, { summary }]) => [name, summary])).toEqual([["skill:pdf", "All of pdf"]]);
    const asked: unknown[] = [];
    const request = async (...given: unknown[]) => {
      asked.push(given);
      return { status: "started", id: "m1" };
    };
    const context = { sessionId: "s", clientId: "c", request } as never;
    expect(await own["skill:pdf"]?.run?.(" fill it ", context)).toEqual({ turn: "m1" });
    expect(await own["skill:pdf"]?.run?.("", context)).toEqual({ turn: "m1" });
    expect(asked).toEqual([
      ["send_message", { sessionId: "s", content: "/skill:pdf fill it" }],
      ["send_message", { sessionId: "s", content: "/skill:pdf" }],
    ]);
  });
});

describe("the command of a skill whose project is not trusted", () => {
  it("is listed, and says how to trust the project", async () => {
    using g = ground();
    const file = join(g.project, ".scorel/skills/deploy/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(join(g.project, ".scorel/skills/empty"));
    writeFileSync(file, skillText("deploy", "Deploys."));
    await using t = await openSkills(g, [], { plugins: [commands] });
    const own = skillCommands(t.skills as Skills);
    expect(Object.entries(own).map(([name, { summary }]) => [name, summary])).toEqual([
      ["skill:deploy", "Not used, because the project is not trusted: scorel trust add"],
    ]);
    expect(() => own["skill:deploy"]?.run?.("now", {} as never)).toThrow(
      `The skill deploy is not used, because its project is not trusted: ${file}.`,
    );
  });
});

describe("the display of tool calls", () => {
  it("describes what the model does with skills instead of its arguments", async () => {
    using g = ground();
    addSkill(g, "pdf", { "a.md": "Ay", "b.md": "Bee" });
    const calls = [
      toolCall("skill_load", { skill: "pdf", docs: ["a.md"] }),
      toolCall("skill_list_docs", { skill: "pdf" }),
      toolCall("skill_select_docs", { skill: "pdf", docs: ["b.md"], mode: "add" }),
      toolCall("skill_select_docs", { skill: "pdf", include_all_docs: true }),
      toolCall("skill_select_docs", { skill: "pdf", mode: "clear" }),
      toolCall("skill_load", { skill: "docx" }),
    ];
    await using t = await openSkills(g, [...calls, text("ok")]);
    await t.agent.prompt("go");
    const drawn = [...t.session.tree.ofType("message")]
      .map((event) => t.session.display(event))
      .flatMap((action) => (action.display === "card" ? [[action.title, action.status, action.text]] : []));
    expect(drawn).toEqual([
      ["Load skill pdf, a.md", "done", "loaded: pdf\nDocs to be loaded by name: b.md (3 bytes)"],
      ["Docs of skill pdf", "done", "a.md, b.md"],
      ["Docs of skill pdf: add b.md", "done", "a.md, b.md"],
      ["Docs of skill pdf: replace all", "done", "all of them"],
      ["Docs of skill pdf: clear", "done", "none"],
      ["Load skill docx", "error", "unknown skill: docx. The skills here are: pdf."],
    ]);
  });
});
