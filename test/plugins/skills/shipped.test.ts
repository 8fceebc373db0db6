import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kinds } from "../../../plugins/extensions/commands/kinds.ts";
import { root } from "../../docs/source.ts";
import { type Script, text, toolCall } from "../../model-server.ts";
import { itWith } from "../../optional.ts";
import { addSkill, type Ground, ground, openSkills, results, SHIPPED, type SkillsTest, sent } from "./setup.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const bodyOf = (name: string) => read(`skills/${name}/SKILL.md`);
/** The words in backticks in the paragraph that begins like this. */
const namedIn = (name: string, begin: string) => {
  const paragraph =
    bodyOf(name)
      .split(/\n\n|\n(?=- |\d\. )/)
      .find((each) => each.includes(begin)) ?? "";
  return Array.from(paragraph.matchAll(/`([^`]+)`/g), ([, word]) => word as string);
};

itWith("python", "python-math prints large numbers exactly, and says what it takes", () => {
  // With the lowest limit, numbers that are printed quickly are already too long.
  const program = ["-X", "int_max_str_digits=640", join(root, "skills/python-math/scripts/fib.py")];
  const fib = (count: string) =>
    spawnSync("python3", [...program, count], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  const { status, stderr, stdout } = fib("3100");
  const lines = stdout.trim().split("\n");
  const [before = "", current = "", last = ""] = lines.slice(-3);
  expect([status, stderr, lines.length, last.length > 640]).toEqual([0, "", 3_100, true]);
  expect(BigInt(before) + BigInt(current)).toBe(BigInt(last));
  expect(fib("²")).toMatchObject({ status: 2, stderr: expect.stringContaining("usage: fib.py N") });
});

describe("the shipped skills about Scorel itself", () => {
  const listed = /compose-preset|debug-session|write-scorel-extension/;
  const open = (g: Ground, script: Script) => openSkills(g, script, { config: { disabled: [] } });

  it("are listed once a message is about Scorel, appended, and again after a compaction removed that list", async () => {
    using g = ground();
    await using t = await open(g, [text("1"), text("2"), text("3"), text("4")]);
    await t.agent.prompt("Fix the parser");
    await t.agent.prompt("Why does Scorel not find my extension?");
    await t.agent.prompt("And the parser?");
    const [first, second, third] = t.requests.map((request) => sent(request).map(({ text: said }) => said));
    expect(first?.join()).not.toMatch(listed);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.at(-1)?.match(/- also there: [\w-]+/g)).toEqual([
      "- also there: compose-preset",
      "- also there: debug-session",
      "- also there: write-scorel-extension",
    ]);
    expect(second?.at(-1)).toMatch(/^<system-reminder>\nFurther skills for this message:\n- also there: /);
    expect(third?.join().match(/also there/g)).toHaveLength(3);
    expect(t.requests[2]?.body.tools).toEqual(t.requests[0]?.body.tools);
  });

  it("are listed by their descriptions when a message does not name Scorel", async () => {
    using g = ground();
    await using t = await open(g, [text("1"), text("2")]);
    await t.agent.prompt("Compose a preset for my team");
    expect(t.requests[0]?.text.match(/also there: [\w-]+/g)).toEqual(["also there: compose-preset"]);
  });

  it("can be loaded without having been listed", async () => {
    using g = ground();
    await using t = await open(g, [toolCall("skill_load", { skill: "debug-session" }), text("ok")]);
    await t.agent.prompt("go");
    expect(t.requests[1]?.text).toContain("[Loaded] debug-session");
  });
});

describe("a session with only the shipped skills", () => {
  it("is offered no tool for docs; with other skills it is, and each can be called", async () => {
    using g = ground();
    const names = (t: SkillsTest) => t.requests[0]?.body.tools.map((each: any) => each.function.name);
    await using alone = await openSkills(g, [toolCall("skill_select_docs", { skill: "python-math" }), text("ok")], {
      config: { disabled: [] },
    });
    await alone.agent.prompt("go");
    expect([names(alone), results(alone)]).toEqual([
      ["skill_load"],
      ['{"skill":"python-math","selected_docs":[],"mode":"replace"}'],
    ]);
    addSkill(g, "pdf");
    await using more = await openSkills(g, [text("ok")]);
    await more.agent.prompt("go");
    expect(names(more)).toEqual(["skill_load", "skill_select_docs"]);
  });
});

describe("the text of the shipped skills", () => {
  it("names existing commands only", () => {
    const commands = read("docs/reference/commands.md");
    const named = SHIPPED.flatMap((name) =>
      Array.from(bodyOf(name).matchAll(/scorel ([a-z]+)(?: ([a-z]+))?/g), ([, noun, action]) => ({ noun, action })),
    ).filter(({ noun }) => commands.includes(`## scorel ${noun}\n`));
    expect(named.length).toBeGreaterThan(20);
    for (const { noun, action } of named) {
      const own = commands.split(`## scorel ${noun}\n`)[1]?.split("\n## ")[0] ?? "";
      if (own.includes(`scorel ${noun} `) && action) expect(own).toContain(`scorel ${noun} ${action}`);
    }
  });

  it("names existing kinds of extensions, fields and hooks only", () => {
    expect(namedIn("write-scorel-extension", "1. Ask which it is")).toEqual(kinds);
    const named = namedIn("write-scorel-extension", "Beside `tools` there are");
    const [hooks, fields] = [
      read("docs/reference/hooks.md"),
      `${read("kernel/plugin.ts")}${read("docs/reference/contributions.md")}`,
    ];
    const isHook = (word: string) => hooks.includes(`| \`${word}\` |`);
    const isField = (word: string) => new RegExp(`\\b${word}\\b`).test(fields);
    const unknown = named.filter((word) => /^\w+$/.test(word) && !isHook(word) && !isField(word));
    const ui = read("plugins/requests/contract.ts");
    expect(unknown.filter((word) => !ui.includes(`  ${word}`))).toEqual([]);
    expect(named.filter(isHook)).toEqual([
      "approveToolCall",
      "beforeToolCall",
      "afterToolCall",
      "transformContext",
      "promptSubmit",
    ]);
  });

  it("names states of plugins as `scorel plugin list` shows them", () => {
    const [untrusted, broken] = namedIn("debug-session", "What is loaded and who set it");
    const states = read("plugins/extensions/contract.ts").match(/state: .*/)?.[0] ?? "";
    for (const state of [untrusted, broken]) expect(states).toContain(`"${state}"`);
  });

  itWith("python", "names programs of python-math that run", () => {
    using g = ground();
    const folder = join(g.home, "python-math");
    cpSync(join(root, "skills/python-math"), folder, { recursive: true });
    mkdirSync(join(folder, "out"));
    const lines = bodyOf("python-math").match(/^ {4}python3 .*$/gm) ?? [];
    const said = lines.map((line) => execFileSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }));
    expect(said).toEqual(["", "7381/2520\n"]);
    expect(readFileSync(join(folder, "out/fib.txt"), "utf8")).toBe("0\n1\n1\n2\n3\n5\n8\n13\n21\n34\n");
  });
});
