import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

/** The output of a conversation whose lines are piped in. */
async function typed(s: Scratch, lines: string[], args: string[] = []) {
  const { code, stdout, stderr } = await s.run(["chat", ...args], { input: `${lines.join("\n")}\n` });
  return { code, stderr, out: stdout };
}
const idOf = (log: string) => log.replace(/^.*\/(.*)\.jsonl$/, "$1");

describeWith("script", "a person in a terminal", () => {
  it("begins a new session in the mode of the one before", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello there.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s, ["--plain"]);
    t.type("hi\r");
    await t.shows("Hello there.");
    t.type("/permission plan\r");
    await t.shows("Permission mode: plan");
    t.type("/clear\r");
    await t.shows("New session");
    t.type("/permission\r");
    await t.shows("mode: plan (of ");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  });
});

describe("slash commands in a session with real turns", () => {
  it("show its status, tools, context window and cost", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello there.")]);
    s.useModel(server.baseUrl);
    const { code, stderr, out } = await typed(s, ["hi", "/status", "/tools", "/context", "/cost", "/model", "/help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(out).toMatch(/^ {2}session +\w{16}$/m);
    expect(out).toMatch(/^ {2}Read {2}/m);
    expect(out).toMatch(/\d+ {2}system prompt$/m);
    expect(out).toMatch(/tokens estimated of a window of/);
    expect(out).toMatch(/^ {2}scripted\/scripted-model: 1 request, \d+ tokens in/m);
    expect(out).toMatch(/^ {2}\/rewind <event> \[--files\] \[--overwrite\] \[--yes\] +Continue from/m);
  });

  it("refuse words that they do not take", async () => {
    using s = scratch({ inProcess: true });
    const all = ["--preset", "all", "--model", "offline/demo"];
    const { out: help } = await typed(s, ["/help"], all);
    // A skill takes the words after its name.
    const names = [...help.matchAll(/^ {2}(\/(?!skill:)\S+)(?: \[--\w+\])*(?: {2,}|$)/gm)].map(([, name = ""]) => name);
    expect(names).toEqual(expect.arrayContaining(["/undo", "/redo", "/quit", "/agents", "/refresh-instructions"]));
    const { stderr, out } = await typed(
      s,
      names.map((name) => `${name} --now please`),
      all,
    );
    const told = (name: string) => `${name}: "--now please" is too much. Usage: ${name}`;
    const refused = names.filter((name) => `${out}${stderr}`.includes(told(name)));
    expect(refused).toEqual(names);
  });

  it("rewind, redo and retry", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("One."), text("Two."), text("Two again.")]);
    s.useModel(server.baseUrl);
    const { code, out } = await typed(s, ["first", "second", "/undo", "/redo", "/retry", "/tree"]);
    expect(code).toBe(0);
    expect(out).toContain("Two again.");
    const asked = server.requests.map(({ body }) =>
      (body.messages as { role: string; content: unknown }[])
        .filter(({ role }) => role === "user")
        .map(({ content }) => content),
    );
    expect(asked.at(-1)).toEqual(asked.at(-2));
    expect(out).toMatch(/├─○ \w+ +user +second\n {2}│ ○ \w+ +assistant +Two\./);
  });

  it("switch between sessions, rename and copy them", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("Yes."));
    s.useModel(server.baseUrl);
    await s.run(["-p", "the first session"]);
    const [first = ""] = s.logs().map(idOf);
    const { code, out } = await typed(s, [
      `/resume ${first.slice(0, 10)}`,
      "/name mine",
      "go on",
      "/clone",
      "/new",
      "another",
      "/quit",
      "never said",
    ]);
    expect(code).toBe(0);
    expect(out).toContain('Now in "the first session"');
    expect(out).not.toContain("never said");
    const listed = JSON.parse((await s.run(["session", "list", "--output", "json"])).stdout) as {
      name?: string;
      title: string;
    }[];
    expect(listed.map(({ name, title }) => `${name ?? "unnamed"}: ${title}`).sort()).toEqual([
      "mine: the first session",
      "mine: the first session",
      "unnamed: another",
    ]);
  });

  it("show the files that the session changed", async () => {
    using s = scratch({ inProcess: true });
    s.file("a.txt", "one\n");
    const edit = toolCall("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), edit, text("Done.")]);
    s.useModel(server.baseUrl);
    const { code, out } = await typed(s, ["change it", "/diff"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}-one$/m);
    expect(out).toMatch(/^ {2}\+two$/m);
  });

  it("can be run as operations without a conversation, with typed results", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("Yes."));
    s.useModel(server.baseUrl);
    await s.run(["-p", "hello"]);
    const [id = ""] = s.logs().map(idOf);
    const cost = await s.run(["session", "run", id.slice(0, 8), "/cost", "--output", "json"]);
    expect(JSON.parse(cost.stdout)).toMatchObject({ data: { models: { "scripted/scripted-model": { requests: 1 } } } });
    expect(await s.run(["session", "run", id, "retry"])).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" });
    expect(await s.run(["session", "run", id, "/copy"])).toMatchObject({ code: 0, stdout: "Yes.\n" });
    const unknown = await s.run(["session", "run", id, "/rewound"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean /rewind")]);
  });

  it("all work", { timeout: 120_000 }, async () => {
    using s = scratch({ inProcess: true });
    s.file("cart.js", "one\n");
    const write = toolCall("Write", { file_path: "AGENTS.md", content: "# Cart\n" });
    const replies: Reply[] = [
      toolCall("Read", { file_path: "cart.js" }),
      toolCall("Edit", { file_path: "cart.js", old_string: "one", new_string: "two" }),
      text("Two."),
      text("Three."),
    ];
    await using server = await startModelServer((request, index) => {
      if (request.body.tools === undefined) return text("SUMMARY: a cart of two.");
      const asked = request.body.messages.at(-1);
      if (asked.role === "user" && String(asked.content).startsWith("Write AGENTS.md")) return write;
      return replies[index] ?? text("Again.");
    });
    s.useModel(server.baseUrl);
    expect(await s.run(["-p", "make it two"])).toMatchObject({ code: 0, stdout: "Two.\n" });
    expect(await s.run(["--continue", "-p", "and three"])).toMatchObject({ code: 0, stdout: "Three.\n" });
    const [log = ""] = s.logs();
    const id = idOf(log);
    const said = records(log).filter(({ type }) => type === "message");
    const [two, three] = ["Two.", "Three."].map((words) =>
      String(said.find(({ message }) => JSON.stringify(message).includes(words))?.id),
    );
    const works: [line: string, prints: RegExp][] = [
      ["/help", /^\/rewind <event>/m],
      ["/help", /^Session:\n\/clear .*\n\/clone /m],
      ["/status", /^session +\w{16}\n/],
      ["/mcp", /^No MCP servers are configured\./],
      ["/tools", /^Read {2}/m],
      ["/context", /system prompt\n/],
      ["/cost", /^scripted\/scripted-model: 4 requests/],
      ["/diff", /^-one\n\+two$/m],
      ["/tree", /make it two\n/],
      ["/queue", /^The queue is empty\./],
      ["/tasks", /^Nothing runs in the background\./],
      ["/permission", /^mode: edits \(of ask, edits, full, plan\)/],
      ["/copy", /^Three\./],
      ["/name cart", /^The session is named "cart"\./],
      ["/model", /^scripted\/scripted-model\n/],
      ["/model scripted/scripted-model", /scripted-model/],
      ["/think off", /off/],
      ["/undo", /^Undone: and three\n/],
      ["/redo", /^The conversation now ends with the reply: Three\.$/m],
      [`/rewind ${two} --files`, /^0 files restored\.\n.*the reply: Two\.$/m],
      ["/rewind start --files", /-two\n\+one\nTo restore these files, and go back: \/rewind start --files --yes\n$/],
      ["/rewind start --files --yes", /^1 file restored\.\nThe conversation is now at its start\./],
      [`/branch ${three}`, /the reply: Three\.$/m],
      ["/export md out.md", /out\.md/],
      ["/compact the cart", /^Compacted: about \d+ tokens by the model's count → \d+ by Scorel's estimate\./],
      ["/retry", /^Again\./],
      ["/init", /^Again\./],
      ["/clone", /^Copied to a new session\nTo continue in it: scorel --session \w{16}$/m],
      [
        "/new other",
        /^New session; the former one is kept: \/resume \w{8}\nTo continue in it: scorel --session \w{16}$/m,
      ],
      ["/clear", /^New session; the former one is kept: \/resume \w{8}\nTo continue in it: scorel --session \w{16}$/m],
      [`/resume ${id.slice(0, 8)}`, /^Now in "cart"$/m],
      ["/restore", /^The trash is empty\.$/m],
      ["/login openai", /^Run `scorel login openai` in another terminal/],
      ["/logout openai", /^Nothing was stored for openai\./],
      ["/refresh-instructions", /./],
      ["/reload", /^Reloaded$/m],
      ["/quit", /^$/],
    ];
    const ran: object[] = [];
    for (const [line] of works) {
      const { code, stdout, stderr } = await s.run(["session", "run", id, line]);
      ran.push({ line, code, stderr, stdout });
    }
    expect(ran).toEqual(
      works.map(([line, prints]) => ({ line, code: 0, stderr: "", stdout: expect.stringMatching(prints) })),
    );
    expect(await s.run(["session", "run", id, "/think low"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The thinking level low has no effect: scripted/scripted-model does not think"),
    });
    expect(readFileSync(join(s.project, "AGENTS.md"), "utf8")).toBe("# Cart\n");
    expect(readFileSync(join(s.project, "out.md"), "utf8")).toContain("make it two");
    const { data } = JSON.parse((await s.run(["session", "run", id, "/help", "--output", "json"])).stdout);
    const listed = (data as { name: string }[]).map(({ name }) => name).sort();
    expect([...new Set(works.map(([line]) => /\w[\w-]*/.exec(line)?.[0]))].sort()).toEqual(
      listed.filter((name) => !name.startsWith("skill:")),
    );
    expect(listed).toContain("skill:git-commit");
    expect((await s.run(["session", "verify", id])).stdout).toContain(": sound, ");
  });

  it("run Markdown commands of a trusted project, but not those of an untrusted one", async () => {
    using s = scratch({ inProcess: true });
    mkdirSync(join(s.project, ".claude/commands"), { recursive: true });
    writeFileSync(join(s.project, ".claude/commands/tell.md"), "Tell me about $ARGUMENTS.\n");
    await using server = await startModelServer(() => text("Well."));
    s.useModel(server.baseUrl);
    const stranger = await typed(s, ["/tell trees"]);
    expect(stranger.out).toContain("There is no command");
    expect(server.requests).toHaveLength(0);
    mkdirSync(join(s.project, ".scorel"));
    const trusted = await typed(s, ["/tell trees"], ["--trust"]);
    expect(trusted.out).toContain("Well.");
    expect(server.requests.at(-1)?.body.messages).toContainEqual({ role: "user", content: "Tell me about trees." });
  });
});
