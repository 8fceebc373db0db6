import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { root } from "../docs/source.ts";
import { type ModelServer, type Script, startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const shipped = readdirSync(join(root, "skills"));
const sourceOf = (name: string) => readFileSync(join(root, "skills", name, "SKILL.md"), "utf8");
/** Contents of fenced blocks of a language, indented or not. */
const blocksOf = (name: string, language: string) => blocksIn(sourceOf(name), language);
const blocksIn = (source: string, language: string) =>
  Array.from(
    source.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm")),
    ([, indent, block]) => (block as string).replace(new RegExp(`^${indent}`, "gm"), ""),
  );
const linesOf = (name: string) => blocksOf(name, "sh").flatMap((block) => block.trim().split("\n"));
const skillText = (name: string, body: string) => `---\nname: ${name}\ndescription: All of ${name}\n---\n\n${body}\n`;

async function withModel(script: Script, work: (s: Scratch, server: ModelServer) => Promise<void>): Promise<void> {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl);
  await work(s, server);
}
function repository({ project, file }: Scratch): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project });
  git("init", "-q", "-b", "main");
  git("config", "user.email", "ann@example.com");
  git("config", "user.name", "Ann");
  file("README.md", "# One\n");
  git("add", "README.md");
  git("commit", "-qm", "Begin");
  file("README.md", "# Two\n");
}

describe("a session with skills", () => {
  it("loads them without a question, and continues with the same bytes in another process and in a copy", () =>
    withModel(
      [toolCall("skill_load", { skill: "house" }), text("one"), text("two"), text("three")],
      async (s, server) => {
        const file = s.file("~/.claude/skills/house/SKILL.md", skillText("house", "Use tabs."));
        expect(await s.run(["-p", "begin"], { guarded: true })).toMatchObject({ code: 0, stdout: "one\n", stderr: "" });
        rmSync(file);
        s.file("~/.claude/skills/house/SKILL.md", skillText("house", "Use spaces."));
        const { sessionId } = scanLog(s.logs()[0] ?? "").header;
        expect(await s.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0, stdout: "two\n" });
        expect(await s.run(["-p", "go on", "--fork", sessionId])).toMatchObject({ code: 0, stdout: "three\n" });
        const bodies = server.requests.map(({ body }) => body);
        for (const later of bodies.slice(2)) {
          expect(later.messages.slice(0, bodies[1].messages.length)).toEqual(bodies[1].messages);
          expect(later.tools).toEqual(bodies[0].tools);
        }
        expect(JSON.stringify(bodies[1].messages)).toContain("Use tabs.");
        expect(JSON.stringify(bodies.slice(2))).not.toContain("Use spaces.");
        expect(server.requests[2]?.text).toContain("- changed: house; the text loaded above is an earlier version");
      },
    ));

  it("appends to the requests sent so far, whatever else happens between loads, and in other processes", () => {
    const todos = (status: string) =>
      toolCall("TodoWrite", { todos: [{ content: "fill", status, activeForm: "filling" }] });
    const form = { skill: "form" };
    const first = [
      todos("in_progress"),
      toolCall("skill_load", form),
      toolCall("Write", { file_path: "a.txt", content: "A" }),
    ];
    const second = [
      toolCall("skill_select_docs", { ...form, docs: ["fields.md"] }),
      toolCall("Edit", { file_path: "a.txt", old_string: "A", new_string: "B" }),
      toolCall("skill_load", { skill: "house" }),
      todos("completed"),
      toolCall("skill_load", form),
    ];
    return withModel([...first, text("1"), ...second, text("2")], async (s, server) => {
      s.file("~/.claude/skills/house/SKILL.md", skillText("house", "Use tabs."));
      s.file("~/.claude/skills/form/SKILL.md", skillText("form", "Fill all fields."));
      s.file("~/.claude/skills/form/fields.md", "Name and place.");
      expect(await s.run(["-p", "begin", "--yes"])).toMatchObject({ code: 0, stdout: "1\n" });
      s.file("AGENTS.md", "Use spaces.");
      expect(await s.run(["-p", "go on", "--yes", "--continue"])).toMatchObject({ code: 0, stdout: "2\n" });
      const requests = server.requests.map(({ body }) => body);
      expect(requests).toHaveLength(10);
      for (const [at, { messages, ...settings }] of requests.slice(1).entries()) {
        const { messages: before, ...same } = requests[at];
        expect([messages.slice(0, before.length), settings]).toEqual([before, same]);
      }
      expect(JSON.stringify(requests.at(-1)).match(/Fill all fields|Name and place|Use tabs/g)).toHaveLength(3);
    });
  });

  it("loads one that a message names", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      await s.run(["-p", "/skill:git-commit all of it"]);
      expect(server.requests[0]?.text).toContain("[Loaded] git-commit\\n\\n# Make a commit");
      const chat = await s.run(["chat"], { input: "/skill:code-review HEAD\n" });
      expect(chat).toMatchObject({ code: 0 });
      expect(server.requests[1]?.text).toContain("/skill:code-review HEAD");
      expect(server.requests[1]?.text).toContain("[Loaded] code-review");
    }));

  it("loads the one that the words of -p name, and none that piped input names", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      await s.run(["-p", "$git-commit, please"], { input: "$code-review\n" });
      expect(server.requests[0]?.text).toContain("[Loaded] git-commit");
      expect(server.requests[0]?.text).not.toContain("[Loaded] code-review");
      await s.run(["-p", "What is this?"], { input: "$code-review\n" });
      expect(server.requests[1]?.text).not.toContain("[Loaded]");
    }));

  itWith("script", "lists each in one line of a terminal", async () => {
    using s = scratch();
    await using t = terminal(s, ["skill", "list"]);
    expect(await t.code).toBe(0);
    const rows = t.rows().filter((row) => row.trim() !== "");
    expect(rows.map((row) => row.split(" ")[0])).toEqual(shipped);
    expect(rows.filter((row) => row.trimEnd().length > 120)).toEqual([]);
  });

  itWith("script", "completes their names with Tab, after /skill: and after $", () =>
    withModel([text("Done.")], async (s, server) => {
      await using t = terminal(s, ["chat", "--yes"]);
      await t.shows("> ");
      t.type("/skill:py\t");
      await t.shows("/skill:python-math");
      t.type(" and $git-c\t");
      await t.shows("$git-commit");
      t.type("\r");
      await t.shows("Done.");
      for (const name of ["python-math", "git-commit"]) expect(server.requests[0]?.text).toContain(`[Loaded] ${name}`);
    }),
  );

  it("reads a project's skills only with trust, from the trusted copy", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      execFileSync("git", ["init", "-q"], { cwd: s.project });
      s.file(".agents/skills/ours/SKILL.md", skillText("ours", "Ours."));
      s.file(".scorel/skills/git-commit/SKILL.md", skillText("git-commit", "As we do it."));
      const untrusted = await s.run(["-p", "with $ours"]);
      expect(untrusted.stderr).toContain("not trusted");
      expect(server.requests[0]?.text).not.toContain("All of ours");
      expect(await s.run(["-p", "with $ours and $git-commit", "--trust"])).toMatchObject({ code: 0, stderr: "" });
      expect(server.requests[1]?.text).toContain("- ours: All of ours");
      expect(server.requests[1]?.text).toContain("As we do it.");
    }));
});

describe("the skills of a project", () => {
  it("are read from its .scorel folder up to the git root, all trusted together", async () => {
    using s = scratch({ inProcess: true });
    execFileSync("git", ["init", "-q"], { cwd: s.project });
    s.file("packages/a/.scorel/skills/own/SKILL.md", skillText("own", "Own."));
    s.file("packages/a/.agents/skills/near/SKILL.md", skillText("near", "Near."));
    s.file("packages/.claude/skills/middle/SKILL.md", skillText("middle", "Middle."));
    s.file(".claude/skills/top/SKILL.md", skillText("top", "Top."));
    s.file("packages/b/.agents/skills/other/SKILL.md", skillText("other", "Other."));
    const cwd = join(s.project, "packages/a");
    const names = async () => {
      const { skills } = JSON.parse((await s.run(["skill", "list", "--output", "json"], { cwd })).stdout);
      return skills.flatMap(({ name, source }: Record<string, string>) => (source === "project" ? name : []));
    };
    expect(await names()).toEqual([]);
    expect(await s.run(["trust", "add", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect(await names()).toEqual(["middle", "near", "own", "top"]);
    const { skills } = JSON.parse((await s.run(["skill", "list", "--output", "json"], { cwd })).stdout);
    const near = skills.find(({ name }: { name: string }) => name === "near");
    expect(near.folder).toBe(join(cwd, ".agents/skills/near"));
    expect(near.files).toContain(join(s.home, ".scorel/cache/trusted"));
    s.file("packages/.claude/skills/middle/more.md", "changed");
    expect(await names()).toEqual([]);
  });
});

describe("scorel skill", () => {
  it("list names the skills that a new session here can load, and those that it cannot", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/skills/git-commit/SKILL.md", skillText("git-commit", "Mine."));
    s.file("~/.scorel/skills/open/SKILL.md", "---\nname: open\n");
    s.file("~/.scorel/skills/only/SKILL.md", "---\ndescription: For people\ndisable-model-invocation: true\n---\nText");
    s.file("~/.scorel/config.toml", '[skills]\nroots = ["ftp://example.com/x.zip"]\n');
    const { code, stdout, stderr } = await s.run(["skill", "list"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'scorel: Plugin "skills" failed in roots: "ftp://…" in [skills] roots is ignored: only folders, archives, https:// and file:// can be roots.\n',
    });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(shipped.length + 1 + 2);
    expect(lines).toContain("git-commit              user     All of git-commit");
    expect(lines).toContain("only                    user     (only you) For people");
    expect(lines.slice(-2)).toEqual([
      `not used: git-commit in ${join(root, "skills/git-commit")}: ${s.home}/.scorel/skills/git-commit takes precedence`,
      `no skill: ${s.home}/.scorel/skills/open: SKILL.md: its front matter is not closed by a line ---`,
    ]);
    const { skills } = JSON.parse((await s.run(["skill", "list", "--output", "json"])).stdout);
    expect(skills.map(({ name }: { name: string }) => name)).toEqual([...shipped, "only"].sort());
  });

  it("show prints a skill; for an unknown name it lists the existing ones", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/skills/mine/SKILL.md", "---\nname: Mine\ndescription: d\n---\n\nDo it.\n");
    s.file("~/.scorel/skills/mine/how.md", "How");
    expect(await s.run(["skill", "show", "Mine"])).toMatchObject({
      code: 0,
      stdout: [
        "Mine (user)",
        "d",
        `folder  ${s.home}/.scorel/skills/mine`,
        "text    6 bytes, about 2 tokens",
        "docs    how.md",
        'SKILL.md:2: name "Mine" must be in lower case',
        'SKILL.md:2: name "Mine" differs from the name of its folder, mine',
        "",
        "Do it.",
        "",
      ].join("\n"),
    });
    expect(await s.run(["skill", "show", "nothing"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown skill: nothing. The skills here are: Mine, code-review"),
    });
  });

  it("check names file and line; it exits 1 for what breaks the open format, and 0 for anything else", async () => {
    using s = scratch({ inProcess: true });
    const bad = s.file("own/bad/SKILL.md", "---\nname: bad\ncolour: red\n---\nText\n");
    s.file("own/good/SKILL.md", skillText("good", "Text"));
    expect(await s.run(["skill", "check", "own"])).toMatchObject({
      code: 1,
      stdout: [
        `${bad}:1: error: description is missing`,
        `${bad}:3: error: the open format does not know "colour"`,
        "2 skills checked, 1 does not keep to the open format.",
        "",
      ].join("\n"),
    });
    expect(await s.run(["skill", "check", "own/good/SKILL.md"])).toMatchObject({
      code: 0,
      stdout: "1 skill checked, it keeps to the open format.\n",
    });
    expect(await s.run(["skill", "check", "nowhere"])).toMatchObject({ code: 2 });
    expect(await s.run(["skill", "check"])).toMatchObject({
      code: 0,
      stdout: "There are no skills here to check; the shipped ones are left out.\n",
    });
  });
});

describe("scorel skill report", () => {
  it("tells which skills matched the user's words but were not loaded, here or in all sessions", () =>
    withModel([text("1"), text("2")], async (s) => {
      const nothing = "No session here was told about skills; --all includes all sessions.\n";
      expect(await s.run(["skill", "report"])).toMatchObject({ code: 0, stdout: nothing, stderr: "" });
      await s.run(["-p", "commit what I \u001b[31m did\u202e, the key is k-secret-123456"]);
      await s.run(["-p", "$git-commit for Bob"]);
      const { code, stdout } = await s.run(["skill", "report"]);
      const id = scanLog(s.logs()[0] ?? "").header.sessionId;
      const [head = ""] = stdout.split("\n\nNever");
      expect(code).toBe(0);
      expect(head.split("\n")).toEqual([
        "2 prompts in 2 sessions with skills",
        "",
        "git-commit: never loaded where 1 of 1 prompt contained its words",
        "  shown in 2 sessions, loaded 1 time (1 by $name), 0 runs",
        "  words: commit",
        expect.stringMatching(/turn 1 {2}\d{4}-\d\d-\d\d {2}commit what I \\u\{1b\}\[31m did\\u\{202e\}, the key/),
        expect.stringContaining('say in it when the skill is to be used ("Use it when … commit …")'),
        "  -> people who named it used words that its description lacks: bob",
      ]);
      const json = JSON.parse((await s.run(["skill", "report", "--session", id.slice(0, 10), "--json"])).stdout);
      expect(json).toMatchObject({ sessions: 1, skills: expect.any(Array), damaged: [] });
      const elsewhere = { cwd: s.home };
      expect((await s.run(["skill", "report"], elsewhere)).stdout).toBe(nothing);
      expect((await s.run(["skill", "report", "--all"], elsewhere)).stdout).toContain("2 prompts in 2 sessions");
      expect(await s.run(["skill", "report", "--all", "--session", id])).toMatchObject({ code: 2 });
    }));
});

describe("the shipped skills", () => {
  it("follow the open format", async () => {
    using s = scratch({ inProcess: true });
    expect(await s.run(["skill", "check", join(root, "skills")])).toMatchObject({
      code: 0,
      stdout: `${shipped.length} skills checked, all keep to the open format.\n`,
    });
  });

  it("name commands that work as described, in a repository and in a session", async () => {
    using s = scratch({ inProcess: true });
    repository(s);
    expect(await s.run(["-p", "hi", "--model", "offline/demo"])).toMatchObject({ code: 0 });
    const { sessionId } = scanLog(s.logs()[0] ?? "").header;
    s.file("~/.scorel/presets/review.toml", blocksOf("compose-preset", "toml")[0] ?? "");
    const meant: Record<string, string> = { "<id>": sessionId.slice(0, 8), "<name or path>": "review" };
    const run = async (line: string) => {
      const filled = line.replace(/<[^>]*>/g, (place) => meant[place] ?? place);
      const words = (filled.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
      const [program, ...args] = words as [string, ...string[]];
      if (program === "scorel") return s.run(args);
      const out = execFileSync(program, args, {
        cwd: s.project,
        encoding: "utf8",
        env: { ...process.env, HOME: s.home },
      });
      return { code: 0, stdout: out };
    };
    const told: string[] = [];
    for (const name of shipped)
      for (const line of linesOf(name)) told.push(`${(await run(line)).code} ${name}: ${line}`);
    expect(told.length).toBeGreaterThan(20);
    expect(told.filter((line) => !line.startsWith("0 "))).toEqual([]);
    expect(execFileSync("git", ["log", "-1", "--format=%s%n%b"], { cwd: s.project, encoding: "utf8" })).toBe(
      "Say how to install\nPeople looked for it in the wiki.\n\n",
    );
  });

  it("show an extension that loads and works", () =>
    withModel([toolCall("WordCount", { text: "one two three" }), text("Three.")], async (s, server) => {
      const [code = ""] = blocksOf("write-scorel-extension", "js");
      const file = s.file("~/.scorel/extensions/my-tool.js", code);
      expect(await s.run(["plugin", "check", file, "--load"])).toMatchObject({ code: 0 });
      expect(await s.run(["-p", "count"])).toMatchObject({ code: 0, stdout: "Three.\n" });
      expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain('"3"');
    }));

  it("show a preset that reads and denies as described", async () => {
    using s = scratch({ inProcess: true });
    const [preset = ""] = blocksOf("compose-preset", "toml");
    s.file("~/.scorel/presets/review.toml", preset);
    const shown = await s.run(["preset", "show", "review"]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain('tools.preset = "readonly"');
    expect(await s.run(["--preset", "review", "config", "check"])).toMatchObject({ code: 0 });
  });
});

describe("the skills guide", () => {
  const guide = readFileSync(join(root, "docs/guide/skills.md"), "utf8");
  const [skill = ""] = blocksIn(guide, "markdown");
  const settings = blocksIn(guide, "toml").find((block) => block.includes("disabled")) ?? "";

  it("shows a skill that follows the open format, and valid settings", async () => {
    using s = scratch({ inProcess: true });
    s.file(".agents/skills/release/SKILL.md", skill);
    const lines = blocksIn(guide, "sh").flatMap((block) => block.trim().split("\n"));
    const looks = lines.filter((line) => /^scorel skill (?:check|report|list)\b/.test(line));
    expect(looks.length).toBeGreaterThan(1);
    for (const line of looks) expect(await s.run(line.split(" ").slice(1))).toMatchObject({ code: 0 });
    // Commands that download or create something have separate tests; here only their existence is checked.
    const commands = readFileSync(join(root, "docs/reference/commands.md"), "utf8");
    for (const line of lines) expect(commands).toContain(line.split(" ").slice(0, 3).join(" "));
    mkdirSync(join(s.home, "work/skills"), { recursive: true });
    s.file("~/.scorel/config.toml", settings);
    expect(await s.run(["skill", "list"])).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining("debug-session"),
    });
  });

  it("names the shipped skills", () => {
    const row = guide.split("\n").find((line) => line.startsWith("| Scorel |"));
    expect(Array.from((row ?? "").matchAll(/`([^`]+)`/g), ([, name]) => name).sort()).toEqual(shipped);
  });

  it("has an example skill that is loaded by name, with the place of its scripts", () =>
    withModel([text("ok")], async (s, server) => {
      s.file("~/.agents/skills/release/SKILL.md", skill);
      s.file("~/.agents/skills/release/scripts/notes.sh", "echo notes");
      expect(await s.run(["-p", "Please make the $release 1.4.0"])).toMatchObject({ code: 0, stderr: "" });
      expect(server.requests[0]?.text).toContain(
        `[Loaded] release\\n\\nFolder: ${s.home}/.agents/skills/release\\n\\n1. Read`,
      );
    }));
});
