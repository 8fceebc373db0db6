import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TreePage } from "@scorel/history/contract";
import { describe, expect, it } from "vitest";
import { hang, type ModelServer, startModelServer, text, toolCall, usage } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const spent = usage({ input: 10, output: 1 });
const script = () => [
  [toolCall("Read", { file_path: "cart.js" }), spent],
  [text("One thing."), spent],
  [toolCall("Write", { file_path: "cart.js", content: "two\n" }), spent],
  [text("Two things."), spent],
];

/** Creates a session with two turns and tools, with a model over HTTP. */
async function talked(s: Scratch, server: ModelServer): Promise<{ sessionId: string; ids: string[] }> {
  s.useModel(server.baseUrl);
  s.file("cart.js", "one\n");
  expect(await s.run(["-p", "What is in it?"])).toMatchObject({ code: 0, stdout: "One thing.\n" });
  expect(await s.run(["--continue", "-p", "Make it two."])).toMatchObject({ code: 0, stdout: "Two things.\n" });
  const [log = ""] = s.logs();
  const messages = records(log).filter(({ type }) => type === "message");
  return { sessionId: String(records(log)[0]?.sessionId), ids: messages.map(({ id }) => String(id)) };
}

const session = (s: Scratch, ...argv: string[]) => s.run(["session", ...argv]);
/** The output of a command, which must succeed. */
async function printed(s: Scratch, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await session(s, ...argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}
const leafOf = async (s: Scratch, sessionId: string) =>
  (JSON.parse(await printed(s, "context", sessionId)) as { leafId: string | null }).leafId;
const stands = (words: string) => `The conversation now ends with ${words}\n`;
/** A drawn tree without ids. */
const shape = (drawn: string) => drawn.replaceAll(/([○●·┄]) \w+ /g, "$1");

/** The notice that a file no longer matches the conversation. */
const left = (session: string, event: string) =>
  `cart.js stays as it is now. To restore what it was then: scorel session rewind ${session} ${event} --files\n`;

/** Returns what commands that look for a session say in a folder that has none. */
async function saidWithout(s: Scratch, folder: string): Promise<string[]> {
  const looking = [
    ["session", "list"],
    ["session", "show", "latest"],
    ["-p", "hi", "--continue"],
  ];
  const found = await Promise.all(looking.map((args) => s.run([...args, "--cwd", folder])));
  return found.map(({ stderr }) => stderr);
}

describe("a session with real turns", () => {
  it("can be drawn, rewound and continued", async () => {
    using s = scratch();
    await using server = await startModelServer([...script(), [text("Three things."), spent]]);
    const { sessionId, ids } = await talked(s, server);
    const [, calls = "", read = "", end = "", , , , last = ""] = ids;
    const id = sessionId.slice(0, 8);
    expect(shape(await printed(s, "tree", id))).toBe(`○ user       What is in it?
· assistant  calls Read
○ Read       cart.js
○ assistant  One thing.
○ user       Make it two.
· assistant  calls Write
○ Write      cart.js
● assistant  (here) Two things.
`);

    expect(await printed(s, "rewind", id, end.slice(0, 6))).toBe(stands("the reply: One thing.") + left(id, end));
    expect(await leafOf(s, id)).toBe(end);
    expect(await s.run(["--session", id, "-p", "Make it three."])).toMatchObject({
      code: 0,
      stdout: "Three things.\n",
    });
    const sent = server.requests.map(({ body }) => body as { messages: { role: string }[] }).at(-1);
    expect(sent?.messages.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);

    expect(await printed(s, "branch", id, last)).toBe(stands("the reply: Two things."));
    expect(shape(await printed(s, "tree", id, "--all"))).toMatch(
      /^○ assistant {2}One thing\.\n├─○ user {7}Make it three\.\n│ ○ assistant {2}Three things\.\n(.*\n)*○ user {7}Make it two\.\n/m,
    );
    const tree = JSON.parse(await printed(s, "tree", id, "--output", "json")) as TreePage;
    expect(tree).toMatchObject({ sessionId, leafId: last, leafCount: 2, branchPoints: [{ id: end }] });

    const refused = await session(s, "rewind", id, calls);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`${read.slice(0, 8)} (Read: [lines 1-1 of 1]`);
    expect(await session(s, "branch", id, end)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("rewind to it"),
    });
    expect(await session(s, "rewind", id, "nothing")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("session tree"),
    });
    expect(await printed(s, "rewind", id, "start")).toBe(`The conversation is now at its start.\n${left(id, "start")}`);
    expect(await leafOf(s, id)).toBeNull();
  });

  it("can be undone and redone, by a separate process for each command", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(script());
    const { sessionId, ids } = await talked(s, server);
    const [, , , end = ""] = ids;
    expect(await printed(s, "undo", sessionId)).toBe(
      `Undone: Make it two.\n${stands("the reply: One thing.")}${left(sessionId, end)}`,
    );
    expect(await printed(s, "undo", sessionId)).toBe(
      `Undone: What is in it?\nThe conversation is now at its start.\n${left(sessionId, "start")}`,
    );
    expect(await session(s, "undo", sessionId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nothing to undo"),
    });
    expect(await printed(s, "redo", sessionId)).toBe(stands("the reply: One thing.") + left(sessionId, end));
    expect(await printed(s, "redo", sessionId)).toBe(stands("the reply: Two things."));
    expect(await session(s, "redo", sessionId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nothing to redo"),
    });
    const verdict = await printed(s, "verify", sessionId);
    expect(verdict).toContain(": sound, ");
  });

  it("can be named `latest` in arguments and options, if it is the latest of its directory", async () => {
    using s = scratch();
    await using server = await startModelServer([...script(), text("Three things.")]);
    const none = await session(s, "undo", "latest");
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no session in ${s.project} yet.`),
    });
    const { sessionId } = await talked(s, server);
    expect(await printed(s, "show", "latest")).toBe(await printed(s, "show", sessionId));
    expect(await printed(s, "undo", "latest")).toContain("The conversation now ends with");
    expect(await printed(s, "export", "latest")).not.toContain("Make it two.");
    const prompt = (name: string) => s.run(["prompt", "show", "--session", name]);
    expect((await prompt("latest")).stdout).toBe((await prompt(sessionId)).stdout);
    const answered = await s.run(["-p", "Go on.", "--session", "latest", "--output", "json"]);
    expect(JSON.parse(answered.stdout)).toMatchObject({ sessionId });
  });

  it("is found from a folder below, since errors name the closest folder above that has sessions", async () => {
    using s = scratch();
    await using server = await startModelServer(script());
    await talked(s, server);
    s.file("src/deep/a.js", "");
    const deep = join(s.project, "src/deep");
    const others = "`scorel session list --all` shows those of other directories.\n";
    const none = `scorel: There is no session in ${deep} yet, but there is in ${s.project} (\`--cwd ${s.project}\`). \`scorel\` starts one; ${others}`;
    expect(await saidWithout(s, "src/deep")).toEqual([
      `No sessions in ${deep}. \`scorel session list --cwd ${s.project}\` shows those of ${s.project}. ${others}`,
      none,
      none,
    ]);
  });

  it("is found from another folder of the repository, since errors name the list of the project", async () => {
    using s = scratch();
    await using server = await startModelServer(script());
    s.useModel(server.baseUrl);
    for (const file of [".git/HEAD", "pkg3/src/a.js", "pkg5/b.js"]) s.file(file, "");
    await s.run(["-p", "What is in it?", "--cwd", "pkg3/src"]);
    const pkg5 = join(s.project, "pkg5");
    const others = "`scorel session list --all` shows those of other directories.\n";
    const ofProject = `scorel session list --project ${pkg5}`;
    const none = `scorel: There is no session in ${pkg5} yet. \`scorel\` starts one; \`scorel --resume\` and \`${ofProject}\` list those of this project, and ${others}`;
    expect(await saidWithout(s, "pkg5")).toEqual([
      `No sessions in ${pkg5}. \`${ofProject}\` shows those of this project. ${others}`,
      none,
      none,
    ]);
    const [, ...args] = ofProject.split(" ");
    expect((await s.run(args)).stdout).toContain(join(s.project, "pkg3/src"));
  });

  it("that is damaged in very many places lists the first ones, and all when asked", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(script());
    const { sessionId } = await talked(s, server);
    appendFileSync(s.logs()[0] ?? "", "no event\n".repeat(30));
    const few = await session(s, "verify", sessionId);
    const all = await s.run(["session", "verify", sessionId, "--all"]);
    expect([few.code, all.code]).toEqual([1, 1]);
    expect([few, all].map(({ stdout }) => stdout.split("\n").filter((line) => /^line \d+/.test(line)).length)).toEqual([
      20, 30,
    ]);
    expect(few.stdout).toContain("10 more damaged places; --all lists them\n");
  });

  it("can be copied up to an event, and the copy is independent", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([...script(), [text("Four things."), spent]]);
    const { sessionId, ids } = await talked(s, server);
    const [, , , end = "", , , , last = ""] = ids;
    const copied = await printed(s, "clone", sessionId, end.slice(0, 8));
    const copy = /^New session (\w+)\nTo continue in it: scorel --session \1\n$/.exec(copied)?.[1] ?? "";
    expect(await leafOf(s, copy)).toBe(end);
    expect(await s.run(["--session", copy, "-p", "Make it four."])).toMatchObject({
      code: 0,
      stdout: "Four things.\n",
    });
    expect(await leafOf(s, sessionId)).toBe(last);
    const header = records(s.logs().find((log) => log.includes(copy)) ?? "")[0];
    expect(header?.clonedFrom).toMatchObject({ sessionId, eventId: end });
    const whole = /^New session (\w+)/.exec(await printed(s, "clone", sessionId))?.[1] ?? "";
    expect(await leafOf(s, whole)).toBe(last);
  });

  it("can be deleted and restored with others; `latest` of the trash is the one deleted last", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("one"), text("two")]);
    s.useModel(server.baseUrl);
    const start = async (prompt: string) =>
      JSON.parse((await s.run(["-p", prompt, "--output", "json"])).stdout).sessionId as string;
    const [a, b] = [await start("first"), await start("second")];
    await printed(s, "delete", b, a);
    const row = (id: string, title: string) => expect.stringMatching(new RegExp(`^${id}  \\d+ bytes  ${title}$`));
    const trash = (await printed(s, "restore")).trimEnd().split("\n");
    expect(trash).toEqual([row(a, "first"), row(b, "second")]);
    expect((await s.run(["completion", "values", "deleted-session"])).stdout).toBe(
      `${a}\tfirst\n${b}\tsecond\nlatest\tThe latest one\n`,
    );
    expect(await printed(s, "restore", "latest")).toBe(`Session ${a} is back.\n`);
    expect(await printed(s, "restore", "latest")).toBe(`Session ${b} is back.\n`);
    expect(await printed(s, "restore")).toBe("The trash is empty.\n");
    expect(await session(s, "restore", "latest")).toMatchObject({
      code: 2,
      stderr: "scorel: The trash is empty: no session was deleted.\n",
    });
  });

  it("can be named, archived, deleted, restored, and purged after a confirmation", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(script());
    const { sessionId } = await talked(s, server);
    const trash = join(s.home, ".scorel", "trash");
    expect(await printed(s, "rename", sessionId, "Cart", "repair")).toBe('The session is named "Cart repair".\n');
    expect(await printed(s, "list")).toContain("Cart repair");
    expect(await printed(s, "archive", sessionId.slice(0, 8))).toContain("Archived.");
    expect(await session(s, "list")).toMatchObject({ code: 0, stdout: "" });
    expect(await printed(s, "list", "--archived")).toMatch(/Cart repair {2}\(archived\)\n$/);
    expect(await printed(s, "unarchive", sessionId.slice(0, 8))).toBe("Taken out of the archive.\n");
    expect(await printed(s, "delete", sessionId.slice(0, 8))).toContain(`scorel session restore ${sessionId}`);
    expect(s.logs()).toEqual([]);
    expect(await session(s, "show", sessionId)).toMatchObject({ code: 2 });
    expect(await printed(s, "restore", sessionId.slice(0, 8))).toBe(`Session ${sessionId} is back.\n`);
    expect(await printed(s, "show", sessionId)).toContain("Two things.");
    await printed(s, "delete", sessionId);
    expect(await session(s, "purge")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("Cart repair"),
      stderr: expect.stringContaining("--yes"),
    });
    expect(readdirSync(trash)).toContain(`${sessionId}.jsonl`);
    expect(await printed(s, "purge", "--yes")).toMatch(/Deleted for good: 1 session, \d+ bytes\./);
    expect(existsSync(join(trash, `${sessionId}.jsonl`))).toBe(false);
    expect(await printed(s, "purge", "--yes")).toContain("Deleted for good: 0 sessions, 0 bytes.");
  });

  it("cannot be rewound or deleted while a turn runs in it in another process, but renamed", async () => {
    using s = scratch({ inProcess: true });
    const slow = [[toolCall("Bash", { command: "echo ready; sleep 30" }), spent]];
    await using server = await startModelServer([...script(), ...slow]);
    const { sessionId, ids } = await talked(s, server);
    const running = s.start(["--session", sessionId, "-p", "Wait.", "--output", "events"]);
    await running.line((line) => line.includes("tool_execution_update"));
    for (const argv of [
      ["rewind", sessionId, ids[3] ?? ""],
      ["undo", sessionId],
      ["delete", sessionId],
    ])
      expect(await session(s, ...argv)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("A turn is running"),
      });
    expect(await session(s, "rename", sessionId, "x")).toMatchObject({ code: 0 });
    expect(await printed(s, "tree", sessionId)).toContain("(here) calls Bash");
    process.kill(running.pid, "SIGTERM");
    await running.finished;
  });

  it("can be rewound together with its files, after a preview", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(script());
    const { sessionId, ids } = await talked(s, server);
    const [, , , end = "", , , , last = ""] = ids;
    const cart = () => readFileSync(join(s.project, "cart.js"), "utf8");
    const asked = ["rewind", sessionId, end, "--files"];
    const unconfirmed = await session(s, ...asked);
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(unconfirmed.stdout).toMatch(/^modified: cart\.js\n(.*\n)*-two\n\+one\n/);
    expect([cart(), await leafOf(s, sessionId)]).toEqual(["two\n", last]);
    expect(await printed(s, ...asked, "--yes")).toContain(`1 file restored.\n${stands("the reply: One thing.")}`);
    expect([cart(), await leafOf(s, sessionId)]).toEqual(["one\n", end]);
    await printed(s, "branch", sessionId, last);
    s.file("cart.js", "someone else's\n");
    expect(await session(s, ...asked, "--yes")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^kept as it is: cart\.js: .* \(--overwrite replaces it\)\n(.*\n)*not restored: cart\.js: .*\n0 files restored\.\n/,
      ),
      stderr: expect.stringContaining('Some files were not restored: see "not restored" above.'),
    });
    expect([cart(), await leafOf(s, sessionId)]).toEqual(["someone else's\n", end]);
  });

  it("can be compacted, with words that the summary must keep", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([...script(), [text("SUMMARY: a cart of two."), spent]]);
    const { sessionId } = await talked(s, server);
    const before = await leafOf(s, sessionId);
    expect(await printed(s, "compact", sessionId, "keep", "the", "cart")).toMatch(
      /^Compacted: \d+ tokens before, \d+ after\.\n$/,
    );
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("keep the cart");
    expect(await printed(s, "context", sessionId)).toContain("SUMMARY: a cart of two.");
    await printed(s, "rewind", sessionId, String(before));
    expect(await printed(s, "context", sessionId)).not.toContain("SUMMARY");
    s.file("~/.scorel/presets/plain.toml", 'description = "Without"\nextends = "coding"\nwithout = ["compaction"]\n');
    expect(await s.run(["session", "compact", sessionId, "--preset", "plain"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add "compaction" to "use"'),
    });
  });

  it("stays unchanged when compaction is cancelled with Ctrl-C", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([...script(), hang()]);
    const { sessionId, ids } = await talked(s, server);
    const running = s.start(["session", "compact", sessionId]);
    await server.request(4);
    process.kill(running.pid, "SIGINT");
    expect(await running.finished).toMatchObject({ code: 130, stdout: "" });
    expect(await leafOf(s, sessionId)).toBe(ids.at(-1));
  });
});
