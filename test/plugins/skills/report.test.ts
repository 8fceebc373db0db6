import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createJsonlStore } from "../../../plugins/logs/jsonl-store.ts";
import { jsonlLogs } from "../../../plugins/logs/service.ts";
import type { ReportedSkill } from "../../../plugins/skills/contract.ts";
import { reportOn } from "../../../plugins/skills/report/report.ts";
import { testHeader } from "../../harness.ts";
import { type Reply, text, toolCall } from "../../model-server.ts";
import { addSkill, type Ground, ground, openSkills, skillText } from "./setup.ts";

const load = (skill: string) => toolCall("skill_load", { skill });
const folderOf = (g: Ground) => join(g.home, ".scorel/sessions");

/** Sends these prompts in a session with a log file. */
async function session(g: Ground, id: string, prompts: readonly string[], script: readonly Reply[] = [], meta = {}) {
  mkdirSync(folderOf(g), { recursive: true });
  const sessionId = id.padEnd(16, "0");
  const header = { ...testHeader, sessionId, createdAt: id.charCodeAt(0), checksum: "crc32" as const, meta };
  const store = createJsonlStore(join(folderOf(g), `${sessionId}.jsonl`), { create: header });
  let clock = 1_000_000_000_000;
  await using t = await openSkills(g, (_request, at) => script[at] ?? text("ok"), {
    kernel: { store, now: () => ++clock },
  });
  for (const prompt of prompts) await t.agent.prompt(prompt);
  return t;
}
const skills = (g: Ground) => {
  addSkill(g, "house-commit", { "more.md": "More" }, skillText("house-commit", "Make a git commit and its message"));
  addSkill(g, "invoices", {}, skillText("invoices", "Fill out invoices for customers"));
};
const reportIn = (g: Ground, more: Partial<Parameters<typeof reportOn>[0]> = {}) =>
  reportOn({ logs: jsonlLogs, directory: folderOf(g), belongs: () => true, redact: (said) => said, ...more });
const brief = ({ name, shown, matched, loaded, loadedIn, missed }: ReportedSkill) => ({
  name,
  shown,
  matched,
  loaded: `${loaded.model} ${loaded.command} ${loaded.mention} in ${loadedIn}`,
  missed: missed.map(({ sessionId, turn }) => `${sessionId[0]}${turn}`),
});

describe("the report on skills", () => {
  it("lists skills whose words were in a prompt and which were never loaded in that session", async () => {
    using g = ground();
    skills(g);
    await session(g, "a", ["hello", "please commit what I did", "now commit it"]);
    await session(g, "b", ["commit this"], [load("house-commit")]);
    const { skills: rows, ...sums } = await reportIn(g);
    expect(sums).toEqual({ sessions: 2, without: 0, prompts: 4, damaged: [] });
    expect(rows).toEqual([
      {
        name: "house-commit",
        description: "Make a git commit and its message",
        shown: 2,
        matched: 3,
        loaded: { model: 1, command: 0, mention: 0 },
        loadedIn: 1,
        runs: 0,
        misses: 2,
        missed: [
          {
            sessionId: "a000000000000000",
            eventId: expect.any(String),
            turn: 3,
            ts: expect.any(Number),
            words: ["commit"],
            prompt: "now commit it",
          },
          expect.objectContaining({ turn: 2, prompt: "please commit what I did" }),
        ],
        words: [{ word: "commit", prompts: 2 }],
        lacking: [],
      },
      {
        name: "invoices",
        description: "Fill out invoices for customers",
        shown: 2,
        matched: 0,
        loaded: { model: 0, command: 0, mention: 0 },
        loadedIn: 0,
        runs: 0,
        misses: 0,
        missed: [],
        words: [],
        lacking: [],
      },
    ]);
  });

  it("tells who loaded a skill, and which words of people who named it are missing in its description", async () => {
    using g = ground();
    skills(g);
    const select = toolCall("skill_select_docs", { skill: "house-commit", docs: ["more.md"] });
    await session(g, "a", ["/skill:invoices bill Acme", "with $house-commit", "go on"], [text("1"), text("2"), select]);
    await session(g, "b", ["bill them by $invoices, and bill Bob"], [load("invoices"), load("nothing")]);
    const [invoices, commit] = (await reportIn(g)).skills.sort((a, b) => b.lacking.length - a.lacking.length);
    expect(invoices).toMatchObject({ loaded: { model: 1, command: 1, mention: 1 }, loadedIn: 2, missed: [] });
    expect(invoices?.lacking).toEqual([
      { word: "bill", prompts: 2 },
      { word: "acme", prompts: 1 },
      { word: "bob", prompts: 1 },
    ]);
    expect(commit).toMatchObject({ loaded: { model: 0, command: 0, mention: 1 }, loadedIn: 1, lacking: [] });
  });

  it("counts a program that ran as a use, interactive or not", async () => {
    using g = ground();
    skills(g);
    const ran = (toolCallId: string, details: object, isError = false) => {
      const content = [{ type: "text" as const, text: "{}" }];
      const base = { role: "tool_result" as const, toolName: "skill_run", timestamp: 0 };
      return { message: { ...base, toolCallId, content, details, isError } };
    };
    const path = join(folderOf(g), `${"a".padEnd(16, "0")}.jsonl`);
    mkdirSync(folderOf(g), { recursive: true });
    const store = createJsonlStore(path, {
      create: { ...testHeader, sessionId: "a".padEnd(16, "0"), checksum: "crc32" },
    });
    await using t = await openSkills(g, [text("ok")], { kernel: { store } });
    await t.agent.prompt("commit this, and the invoice for customers");
    await t.session.append("message", ran("c1", { skill: "house-commit" }));
    await t.session.append("message", ran("c2", { interactiveRun: { skill: "house-commit" } }));
    await t.session.append("message", ran("c3", { skill: "invoices" }, true));
    const rows = (await reportIn(g)).skills.map(({ name, runs, loadedIn, misses }) => [name, runs, loadedIn, misses]);
    expect(rows).toEqual([
      ["invoices", 0, 0, 1],
      ["house-commit", 2, 1, 0],
    ]);
  });

  it("ignores the texts of attached files, which nobody wrote as a prompt", async () => {
    using g = ground();
    skills(g);
    mkdirSync(folderOf(g), { recursive: true });
    const sessionId = "a".padEnd(16, "0");
    const path = join(folderOf(g), `${sessionId}.jsonl`);
    const store = createJsonlStore(path, { create: { ...testHeader, sessionId, checksum: "crc32" } });
    await using t = await openSkills(g, [text("ok")], { kernel: { store } });
    await t.agent.prompt("hello");
    const content = [
      { type: "text" as const, text: "what is in @notes.md?" },
      { type: "text" as const, text: "how to commit invoices for customers", attachment: true as const },
    ];
    await t.session.append("message", { message: { role: "user", content, timestamp: 0 } });
    const { prompts, skills: rows } = await reportIn(g);
    expect([prompts, ...rows.map(({ name, matched }) => [name, matched])]).toEqual([
      2,
      ["house-commit", 0],
      ["invoices", 0],
    ]);
  });

  it("uses the descriptions that the session had, not those in the present files", async () => {
    using g = ground();
    addSkill(g, "pdf", {}, skillText("pdf", "Make a pdf"));
    await session(g, "a", ["make a pdf"]);
    addSkill(g, "pdf", {}, skillText("pdf", "Something else"));
    await session(g, "b", ["make a pdf"]);
    expect((await reportIn(g)).skills.map(brief)).toEqual([
      { name: "pdf", shown: 2, matched: 1, loaded: "0 0 0 in 0", missed: ["a1"] },
    ]);
  });

  it("includes a skill that appears during the session", async () => {
    using g = ground();
    skills(g);
    mkdirSync(folderOf(g), { recursive: true });
    const path = join(folderOf(g), `${"a".padEnd(16, "0")}.jsonl`);
    const store = createJsonlStore(path, {
      create: { ...testHeader, sessionId: "a".padEnd(16, "0"), checksum: "crc32" },
    });
    await using t = await openSkills(g, [text("1"), text("2"), text("3")], { kernel: { store } });
    await t.agent.prompt("a pdf of the pdf");
    addSkill(g, "pdf", {}, skillText("pdf", "Make a pdf"));
    await t.agent.prompt("a pdf of the pdf");
    expect((await reportIn(g)).skills.map(brief)[0]).toMatchObject({ name: "pdf", matched: 1, missed: ["a2"] });
  });

  it("counts a prompt once, in the oldest session, however many copies contain it", async () => {
    using g = ground();
    skills(g);
    await session(g, "b", ["commit this"]);
    const [original, copy] = ["b", "c"].map((id) => join(folderOf(g), `${id.padEnd(16, "0")}.jsonl`)) as [
      string,
      string,
    ];
    writeFileSync(copy, readFileSync(original));
    const { skills: rows, prompts } = await reportIn(g);
    expect([prompts, rows.map(brief)[0]]).toEqual([1, expect.objectContaining({ matched: 1, missed: ["b1"] })]);
  });

  it("shows one line of a long prompt around the words, with secrets redacted, and ignores pasted code", async () => {
    using g = ground();
    skills(g);
    const long = `${"x ".repeat(200)}\n\u001b[31m commit\u0007 with hunter2 ${"y ".repeat(200)}`;
    await session(g, "a", [long, "look:\n```\ncommit commit git message\n```"]);
    const redact = (said: string) => said.replaceAll("hunter2", "[redacted]");
    const [{ matched, missed } = { matched: 0, missed: [] }] = (await reportIn(g, { redact })).skills;
    expect(matched).toBe(1);
    expect(missed[0]?.prompt).toMatch(/^…x x .*commit.* with \[redacted\] y .*…$/);
    expect([...(missed[0]?.prompt ?? "")].length).toBeLessThan(130);
  });

  it("ignores imported sessions, and sessions of other projects", async () => {
    using g = ground();
    skills(g);
    await session(g, "a", ["commit this"], [], { imported: { at: 2_000_000_000_000 } });
    await session(g, "b", ["commit this"], [], { cwd: "/elsewhere" });
    expect(await reportIn(g, { belongs: ({ meta }) => meta.cwd === undefined })).toMatchObject({
      sessions: 0,
      without: 1,
      prompts: 0,
    });
    expect(await reportIn(g, { sessionId: "b000000000000000" })).toMatchObject({ sessions: 1, prompts: 1 });
  });

  it("reports damage by session and line, and reads the rest", async () => {
    using g = ground();
    skills(g);
    await session(g, "a", ["commit this", "and commit that"]);
    const path = join(folderOf(g), "a000000000000000.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes("commit this"));
    lines[at] = (lines[at] as string).replace("commit this", "commit that");
    writeFileSync(path, lines.join("\n"));
    writeFileSync(join(folderOf(g), "b000000000000000.jsonl"), "nothing\n");
    writeFileSync(join(folderOf(g), "notes.txt"), "");
    const { damaged, skills: rows } = await reportIn(g);
    expect(damaged).toEqual([
      { sessionId: "a000000000000000", line: at + 1, reason: expect.stringContaining("checksum") },
      { sessionId: "b000000000000000", reason: expect.stringContaining("b000000000000000.jsonl") },
    ]);
    expect(rows.map(brief)[0]).toMatchObject({ matched: 1, missed: ["a1"] });
  });

  it("ignores a line that is still being written", async () => {
    using g = ground();
    skills(g);
    await session(g, "a", ["commit this"]);
    appendFileSync(join(folderOf(g), "a000000000000000.jsonl"), '{"type":"message","id":"abc');
    expect(await reportIn(g)).toMatchObject({ prompts: 1, damaged: [] });
  });

  it("is empty in a home without sessions, and says when they cannot be listed", async () => {
    using g = ground();
    expect(await reportIn(g)).toEqual({ sessions: 0, without: 0, prompts: 0, skills: [], damaged: [] });
    g.file(".scorel/sessions", "a file");
    await expect(reportIn(g)).rejects.toMatchObject({ code: "SKILL_LOGS" });
  });
});
