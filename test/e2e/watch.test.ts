import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Running, type Scratch, scratch } from "./scorel.ts";

/** An extension with a slash command and a tool that both return a word. */
const extension = (word: string, id = "mine") => `export default {
  id: "${id}",
  name: "Mine",
  version: "1.0.0",
  tools: () => [{
    name: "Say",
    description: "Says a word.",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "${word}" }] }),
  }],
  commands: () => ({ "${id}": { run: () => "it-says-${word}" } }),
};
`;
const path = "~/.scorel/extensions/mine.ts";

describeWith("script", "scorel --watch", () => {
  it("reloads the session when an extension changes, and reports it without disturbing the typed text", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    s.file(path, extension("one"));
    await using t = terminal(s, ["--watch"]);
    await t.shows("> ");
    t.type("/mi");
    s.file(path, extension("two"));
    await t.shows("Reloaded: ~/.scorel/extensions/mine.ts");
    // The typed text is still there.
    await t.shows("> /mi");
    t.type("ne\n");
    await t.shows("it-says-two");
    t.type("/exit\n");
    expect(await t.code).toBe(0);
  });

  it("keeps the old version after a mistake, naming file and line, until it is fixed", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    const file = s.file(path, extension("one"));
    await using t = terminal(s, ["--watch"]);
    await t.shows("> ");
    s.file(path, extension("two").replace('name: "Mine"', "name: = 1"));
    await t.shows("was not reloaded and continues unchanged");
    await t.shows(`${file}:3`);
    t.type("/mine\n");
    await t.shows("it-says-one");
    s.file(path, extension("three"));
    await t.shows("Reloaded:");
    t.type("/mine\n");
    await t.shows("it-says-three");
  });
});

describe("scorel chat --watch", () => {
  it("waits for the end of a turn, which keeps the code that it began with", async () => {
    using s = scratch();
    const here = gate();
    await using server = await startModelServer([
      [text("I look. "), delayUntil(here.promise), toolCall("Say", {})],
      text("Done."),
    ]);
    s.useModel(server.baseUrl);
    s.file(".scorel/extensions/mine.ts", extension("one"));
    await s.run(["trust", "--dev"]);
    const chat = opened(s);
    await ready(chat);
    chat.child.stdin?.write("go\n");
    await server.request(0);
    s.file(".scorel/extensions/mine.ts", extension("two"));
    here.open();
    await chat.line((line) => line === "Reloaded: .scorel/extensions/mine.ts");
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "one" });
    chat.child.stdin?.end("/mine\n");
    const { stdout, code } = await chat.finished;
    expect(stdout.indexOf("Done.")).toBeLessThan(stdout.indexOf("Reloaded"));
    expect([code, stdout]).toEqual([0, expect.stringContaining("it-says-two")]);
  });

  it("holds back an extension of the user that changed while a tool ran", async () => {
    using s = scratch();
    const change = `printf '%s' '${extension("two").replaceAll("\n", " ")}' > ${s.home}/.scorel/extensions/mine.ts`;
    await using server = await startModelServer([toolCall("Bash", { command: change }), text("Done.")]);
    s.useModel(server.baseUrl);
    s.file(path, extension("one"));
    const chat = opened(s);
    await ready(chat);
    chat.child.stdin?.write("go\n");
    const kept = await chat.line((line) => line.includes("was not reloaded and continues unchanged"));
    expect(kept).toContain("changed while tools of session");
    chat.child.stdin?.end("/mine\n");
    expect((await chat.finished).stdout).toContain("it-says-one");
  });

  it("picks up added, changed and removed files: folders with helpers, presets, configuration", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    s.file("~/.scorel/presets/team.toml", 'extends = "coding"\n');
    const chat = opened(s, "--preset", "team");
    await ready(chat);
    const say = (line: string) => void chat.child.stdin?.write(`${line}\n`);
    const reloaded = (...files: string[]) => chat.line((line) => line === `Reloaded: ${files.join(", ")}`);
    // The folder of extensions did not exist when watching began.
    mkdirSync(join(s.home, ".scorel/extensions"), { mode: 0o700 });
    const folder = join(s.home, ".scorel/extensions/made");
    const source = extension("one", "made").replace('"it-says-one"', "word");
    s.file("~/made/index.ts", `import word from "./word.ts";\n${source}`);
    s.file("~/made/word.ts", 'export default "first";\n');
    renameSync(join(s.home, "made"), folder);
    await reloaded("~/.scorel/extensions/made/index.ts", "~/.scorel/extensions/made/word.ts");
    s.file("~/.scorel/extensions/made/word.ts", 'export default "a-helper-says";\n');
    await reloaded("~/.scorel/extensions/made/word.ts");
    say("/made");
    await chat.line((line) => line === "  a-helper-says");
    s.file("~/.scorel/presets/team.toml", 'extends = "coding"\nwithout = ["made"]\n');
    await reloaded("~/.scorel/presets/team.toml");
    say("/made");
    await chat.line((line) => line.startsWith("There is no command"));
    s.useModel(server.baseUrl, "[chat]\nwrong = 1\n");
    await chat.line((line) => line.includes("Unsupported config key: chat"));
    s.useModel(server.baseUrl);
    await reloaded("~/.scorel/config.toml");
    rmSync(join(s.home, ".scorel/presets/team.toml"));
    await chat.line((line) => line.includes('no preset "team"'));
    chat.child.stdin?.end();
    expect(await chat.finished).toMatchObject({ code: 0, stderr: "" });
  });

  it("does not run changes of a project until they are trusted, and reloads it then", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    s.file(".scorel/extensions/mine.ts", extension("one"));
    await s.run(["trust", "add", "--yes"]);
    const chat = opened(s);
    await ready(chat);
    s.file(".scorel/extensions/mine.ts", `${extension("two")}\nprocess.stderr.write("it ran");\n`);
    const kept = await chat.line((line) => line.includes("was not reloaded and continues unchanged"));
    expect(kept).toContain(`To see what changed: scorel trust add ${s.project}`);
    chat.child.stdin?.write("/mine\n");
    await chat.line((line) => line === "  it-says-one");
    s.file(".scorel/extensions/mine.ts", extension("three"));
    await s.run(["trust", "add", "--yes"]);
    await chat.line((line) => line.startsWith("Reloaded: "));
    chat.child.stdin?.write("/mine\n");
    await chat.line((line) => line === "  it-says-three");
    chat.child.stdin?.end();
    expect(await chat.finished).toMatchObject({ code: 0, stderr: "" });
  });

  it("picks up each change of a project that is trusted by its path", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    s.file(".scorel/extensions/mine.ts", extension("one"));
    await s.run(["trust", "--dev"]);
    const chat = opened(s);
    await ready(chat);
    s.file(".scorel/extensions/mine.ts", extension("two"));
    await chat.line((line) => line === "Reloaded: .scorel/extensions/mine.ts");
    chat.child.stdin?.end("/mine\n");
    expect((await chat.finished).stdout).toContain("it-says-two");
  });
});

it("--watch is refused for commands that do not stay open, and without a terminal", async () => {
  using s = scratch();
  await using server = await startModelServer([]);
  s.useModel(server.baseUrl);
  expect(await s.run(["-p", "hi", "--watch"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not with -p"),
  });
  s.file("~/.scorel/presets/bare.toml", 'extends = "coding"\nwithout = ["watch"]\n');
  const bare = await s.run(["chat", "--watch", "--preset", "bare"]);
  expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('Add "watch" to "use"') });
  expect(server.requests).toEqual([]);
});

/** Starts a conversation whose input stays open. */
function opened(s: Scratch, ...more: string[]): Running {
  return s.start(["chat", "--watch", ...more], { open: true });
}

/** Resolves when a command was answered, and therefore watching has begun. */
async function ready({ child, line }: Running): Promise<void> {
  child.stdin?.write("/status\n");
  await line((words) => words.startsWith("  session "));
}
