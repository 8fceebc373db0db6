import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { templates } from "../../plugins/extensions/commands/templates.ts";
import { exampleFiles } from "../docs/example-files.ts";
import { readExamples } from "../docs/examples.ts";
import { type Reply, startModelServer, text, toolCall, usage } from "../model-server.ts";
import { hasTerminals, terminal } from "./pty.ts";
import { modelTable, records, type Scratch, scratch } from "./scorel.ts";

const files = exampleFiles();
const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** Tests that each example works as described, with the built command and a scripted model. */
const uses: Record<string, (s: Scratch) => Promise<void>> = {
  async "permission-guard"(s) {
    const [told] = await results(s, toolCall("Bash", { command: "rm -rf src" }));
    expect(told).toContain("This command is left to the user");
    expect(await results(s, toolCall("Bash", { command: "echo harmless" }))).toEqual(["harmless\n[exit code 0]"]);
  },
  async "audit-log"(s) {
    await results(s, toolCall("Bash", { command: "echo hi" }));
    const line = { tool: "Bash", args: { command: "echo hi" }, isError: false, durationMs: expect.any(Number) };
    const always = { at: expect.stringMatching(/^\d{4}-/), sessionId: expect.any(String) };
    expect(records(join(s.home, ".scorel/audit.jsonl"))).toEqual([{ ...always, ...line }]);
  },
  async traces(s) {
    const run = { skill: "python-math", command: "ls scripts" };
    configure(s, '[sandbox]\nexecutor = "local"\n');
    expect((await results(s, toolCall("skill_run", run)))[0]).toContain('"exit_code":0');
    const rows = records(join(s.home, ".scorel/traces.jsonl"));
    const nameOf = (id: unknown) => rows.find(({ spanId }) => spanId === id)?.name;
    const told = rows.filter(({ name }) => /^workspace|tool$/.test(String(name)));
    expect(told.map(({ name, parentId }) => [nameOf(parentId), name])).toEqual([
      ...["create", "stage", "run", "collect", "inline"].map((step) => ["scorel.tool", `workspace.${step}`]),
      ["scorel.round", "scorel.tool"],
    ]);
  },
  async "docs-search"(s) {
    s.file("docs/build.md", "# Build\n\nThe release is signed with a hardware token.\n\nLunch is at noon.\n");
    const [request] = await requests(s, ["-p", "How is the release signed?"], text("By token."));
    expect(request).toMatch(
      /How is the release signed\?[\s\S]*build\.md: The release is signed with a hardware token\./,
    );
    expect(request).not.toContain("Lunch");
    expect(lastLog(s).filter(({ type }) => type === "custom_message")).toMatchObject([{ kind: "docs-search" }]);
  },
  async bookmarks(s) {
    const stdout = await talk(s, "hello\n/bookmark start\n/bookmarks\n", text("Hi."));
    expect(stdout).toMatch(/Bookmarked as start\.[\s\S]*start {2}\/rewind \w+/);
    expect(lastLog(s).filter(({ type }) => type === "custom")).toMatchObject([
      { kind: "bookmark", data: { name: "start", at: expect.any(String) } },
    ]);
  },
  async "unsaved-buffers"(s) {
    s.file("a.txt", "saved\n");
    s.file("b.txt", "saved\n");
    await using server = await startModelServer([
      [toolCall("Read", { file_path: "a.txt" }), toolCall("Grep", { pattern: "saved$" })],
      toolCall("Edit", { file_path: "a.txt", old_string: "not", new_string: "now" }),
      text("Done."),
    ]);
    s.useModel(server.baseUrl);
    const { stdout } = await s.run(["chat"], { input: "/unsaved a.txt not saved\ngo\n" });
    expect(stdout).toContain("a.txt has unsaved text.");
    const told = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
    expect(told.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      "[lines 1-1 of 1]\n1\tnot saved",
      "[2 matches]\na.txt\n1:not saved\nb.txt\n1:saved",
      "Edited a.txt: 1 replacement, line 1.",
    ]);
    expect(readFileSync(join(s.project, "a.txt"), "utf8")).toBe("now saved\n");
  },
  async redactor(s) {
    s.file("team.txt", "Ann is ann@example.com\n");
    const [told] = await results(s, toolCall("Read", { file_path: "team.txt" }));
    expect(told).toContain("Ann is [redacted]");
    expect(readFileSync(s.logs()[0] as string, "utf8")).not.toContain("ann@example.com");
    const [request] = await requests(s, ["-p", "Write to bob@example.com"], text("To bob@example.com."));
    expect(request).toContain("Write to [redacted]");
    // The pattern must not match a part of how a line break is written in JSON.
    const [written] = await results(s, toolCall("Write", { file_path: "to.txt", content: 'Bob:\nbob@example.com "' }));
    expect(written).toContain("to.txt");
    for (const log of s.logs()) expect(readFileSync(log, "utf8")).not.toContain("@example.com");
  },
  async "acme-models"(s) {
    const seen: string[] = [];
    const server = createHttpServer((request, response) => {
      seen.push(`${request.url} ${request.headers["x-acme-key"]}`);
      if (request.url === "/v2/models") return response.end('[{"name":"large","window":64000,"price":1.5}]');
      return response.end('{"say":"Hello "}\n{"say":"from Acme."}\n{"done":{"tokens":[12,3]}}\n');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      s.file("~/.scorel/config.toml", `[acme-models]\nbaseUrl = "http://127.0.0.1:${port}/v2"\n`);
      const env = { ACME_KEY: "acme-secret-0123" };
      const list = await s.run(["model", "list", "acme"], { env });
      expect(list.stderr).toBe("");
      expect(list.stdout.replace(/ +/g, " ")).toContain("acme/large 64k 16k 1.50 3.00 - ACME_KEY\n");
      const { code, stdout, stderr } = await s.run(["-p", "go", "--model", "acme/large"], { env });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Hello from Acme.\n", stderr: "" });
      expect(new Set(seen)).toEqual(new Set(["/v2/models acme-secret-0123", "/v2/talk acme-secret-0123"]));
      expect(readFileSync(s.logs()[0] as string, "utf8")).not.toContain("acme-secret-0123");
    } finally {
      server.close();
    }
  },
  async "own-compaction"(s) {
    const replies = [toolCall("Write", { file_path: "a.txt", content: "a\n" }), text("1"), text("2"), text("3")];
    await talk(s, "write it\ntwo\nthree\n/compact\n", ...replies);
    const [compacted] = lastLog(s).filter(({ type }) => type === "compact");
    expect(compacted).toMatchObject({ method: "plugin", summary: expect.stringContaining('Asked for:\n- "write it"') });
    expect(String(compacted?.summary)).toContain("Changed files:\n- a.txt");
  },
  async "request-settings"(s) {
    configure(s, '[request-settings]\ntemperature = 0.5\nteam = "red"\n');
    await using server = await startModelServer([text("Done.")]);
    s.useModel(server.baseUrl);
    await s.run(["-p", "go"]);
    const { body, headers } = await server.request(0);
    expect([body.temperature, headers["x-team"]]).toEqual([0.5, "red"]);
  },
  async "token-budget"(s) {
    configure(s, "[token-budget]\ntokens = 1000\n");
    const spent = usage({ input: 900, output: 200 });
    const call = [toolCall("Bash", { command: "echo once" }), spent];
    expect(await results(s, call)).toEqual([
      "This session has used 1100 of its 1000 tokens. Stop here and say what is left to do.",
    ]);
  },
  async notify(s) {
    configure(s, "[notify]\nseconds = 0\n");
    const bin = join(s.home, "bin");
    for (const name of ["notify-send", "osascript"]) {
      chmodSync(s.file(`~/bin/${name}`, `#!/bin/sh\necho "$@" > ${join(s.home, "shown.txt")}\n`), 0o755);
    }
    await requests(s, ["-p", "hi"], text("Hello."), { PATH: `${bin}:${process.env.PATH}` });
    expect(readFileSync(join(s.home, "shown.txt"), "utf8")).toMatch(/Scorel|Done after 0 s\./);
  },
  async "commit-each-turn"(s) {
    repository(s);
    await results(s, toolCall("Write", { file_path: "new.txt", content: "new\n" }));
    expect(git(s, "log", "--format=%s", "--name-only")).toBe("Go.\n\nnew.txt\nFirst\n\na.txt\n");
    expect(git(s, "status", "--porcelain")).toBe("");
  },
  async reviewer(s) {
    repository(s);
    s.file("a.txt", "changed\n");
    await using critic = await startModelServer([text("a.txt: the word is misspelt"), text("OK")]);
    configure(s, modelTable(critic.baseUrl).replace("[model]", "[models.reviewer]"));
    const commit = toolCall("Bash", { command: "git commit -qam Changed" });
    const [refused] = await results(s, commit);
    expect(refused).toMatch(/^Not committed\. scripted\/scripted-model says:\na\.txt: the word is misspelt/);
    expect(critic.requests[0]?.text).toContain("+changed");
    await results(s, commit);
    expect(git(s, "log", "--format=%s")).toBe("Changed\nFirst\n");
  },
  async decisions(s) {
    const decide = toolCall("Decide", { title: "Use SQLite", why: "One file, no server." });
    const card = "Decided: Use SQLite";
    expect(await talk(s, "decide\n", decide, text("Done."))).toContain(card);
    const run = await s.run(["session", "list"]);
    const id = run.stdout.split(" ")[0] as string;
    expect((await s.run(["session", "show", id])).stdout).toContain(card);
    await using server = await startModelServer([decide, text("Done.")]);
    s.useModel(server.baseUrl);
    const { stdout } = await s.run(["-p", "decide", "--output", "events"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === "decision")).toMatchObject({
      title: "Use SQLite",
      why: "One file, no server.",
    });
  },
  async checklist(s) {
    await using server = await startModelServer([
      toolCall("Checklist", { items: [{ text: "Bake" }, { text: "Eat" }] }),
      text("Written."),
      text("Good."),
    ]);
    s.useModel(server.baseUrl);
    const { stdout } = await s.run(["chat"], { input: "list\n/tick 1\n/tick 3\nnext\n" });
    expect(stdout).toContain("Written.\n");
    expect(stdout).toContain("\n  [x] Bake\n  [ ] Eat\n  The checklist has 2 items.\nGood.");
    expect(server.requests[2]?.text).toContain("The user has changed the checklist:\\n[x] Bake\\n[ ] Eat");
    // Before the first item was ticked off.
    const { id } = lastLog(s).find(({ type }) => type === "checklist") as { id: string };
    const after = await s.run(["chat", "--continue"], { input: `/rewind ${id}\n/tick 2\n` });
    expect(after.stdout).toContain("  [ ] Bake\n  [x] Eat\n");
  },
  async pins(s) {
    await using server = await startModelServer([text("Good.")]);
    s.useModel(server.baseUrl);
    const { stdout } = await s.run(["chat"], { input: "hi\n/pin buy milk\n/pin call Ann\n/unpin buy milk\n" });
    expect(stdout).toContain("Pinned: buy milk\n");
    expect(stdout).toContain("Unpinned: buy milk\n");
    expect(lastLog(s).flatMap(({ type, text: words, gone }) => (type === "pin" ? [[words, gone]] : []))).toEqual([
      ["buy milk", false],
      ["call Ann", false],
      ["buy milk", true],
    ]);
  },
  async "package-scripts"(s) {
    s.file("package.json", '{"scripts":{"build":"tsc","test":"vitest"}}');
    expect(await results(s, toolCall("PackageScripts", {}))).toEqual(["build: tsc\ntest: vitest"]);
    expect((await results(s, toolCall("PackageScripts", { folder: 1 })))[0]).toContain("Validation failed");
  },
  async "port-check"(s) {
    const listening = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => listening.once("listening", resolve));
    const { port } = listening.address() as { port: number };
    expect(await results(s, toolCall("PortCheck", { port }))).toEqual([`Something listens on ${port}.`]);
    await new Promise((resolve) => listening.close(resolve));
    expect(await results(s, toolCall("PortCheck", { port }))).toEqual([`Nothing listens on ${port}.`]);
  },
  async "days-between"(s) {
    const told = await results(s, [
      toolCall("DaysBetween", { from: "2028-02-01", to: "2028-03-01" }),
      toolCall("DaysBetween", { from: "soon", to: "2028-03-01" }),
    ]);
    expect(told).toEqual(["29 days", expect.stringContaining("from")]);
  },
  async "web-face"(s) {
    await using server = await startModelServer([
      [text("I will touch it. ", 2), toolCall("Bash", { command: "touch made.txt" })],
      text("Done.", 2),
    ]);
    s.useModel(server.baseUrl);
    const face = s.start(["web"], { guarded: true });
    const [, url = "", authorization = ""] = /^(\S+) Authorization: (.*)$/.exec(await face.line(() => true)) ?? [];
    const post = async (operation: string, params: object) => {
      const sent = { method: "POST", headers: { authorization }, body: JSON.stringify(params) };
      return (await fetch(`${url}/operations/${operation}`, sent)).json();
    };
    expect((await fetch(`${url}/sessions`, { headers: { authorization: "Bearer no" } })).status).toBe(401);

    const sessions = await serverEvents(`${url}/sessions`, { authorization });
    expect(await sessions.next()).toEqual({ sessions: [] });
    // Clients with a scope choose directories below home, or of known projects.
    const cwd = join(s.home, "work");
    mkdirSync(cwd);
    const { sessionId } = await post("create_session", { cwd });
    expect(await sessions.next()).toMatchObject({ change: "created", session: { sessionId, running: false } });

    const open = (headers = {}) => serverEvents(`${url}/sessions/${sessionId}`, { authorization, ...headers });
    const isQuestion = ({ event }: any) => event?.type === "approval_request";
    const stayed = await open();
    const left = await open();
    await post("send_message", { sessionId, content: "Make it." });
    await left.until(({ event }) => event?.type === "text_delta");
    left.close();
    const { event } = await stayed.until(isQuestion);
    await sessions.until(({ change, session }) => change === "asking" && session.questions[0] === "select");
    await post("answer_request", { sessionId, requestId: event.requestId, answer: "y" });
    const isEnd = ({ event }: any) => event?.type === "runtime_end";
    await stayed.until(isEnd);
    const back = await open({ "last-event-id": left.id });
    expect(await back.next()).toMatchObject({ mode: "stream_resume" });
    await back.until(isEnd);
    await sessions.until(({ change }) => change === "idle");
    const events = (told: any[]) => told.flatMap(({ event }) => event ?? []);
    const seen = events([...left.heard, ...back.heard]);
    expect(seen).toEqual(events(stayed.heard));
    expect(seen.filter(({ type }) => type === "message")).toHaveLength(4);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    for (const stream of [sessions, stayed, back]) stream.close();
    face.child.kill("SIGINT");
    expect(await face.finished).toMatchObject({ code: 0, stderr: "" });
  },
  async "container-host"(s) {
    await using server = await startModelServer([text("one"), text("two")]);
    s.useModel(server.baseUrl);
    // The container is replaced by this computer.
    const docker = s.file("bin/docker", `#!/bin/sh\nshift 4\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    chmodSync(docker, 0o755);
    const env = { PATH: `${join(s.project, "bin")}:${process.env.PATH}` };
    expect((await s.run(["attach", "--container", "../x"], { env })).stderr).toContain(
      "is not the name of a container",
    );
    try {
      expect((await s.run(["attach", "--container", "box"], { env })).stderr).toContain("no session yet");
      expect((await s.run(["-p", "first"], { env })).stdout).toBe("one\n");
      const attached = await s.run(["attach", "--container", "box"], { env, input: "second\n" });
      expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining("two") });
    } finally {
      await s.run(["host", "stop"]);
    }
  },
  async standup(s) {
    repository(s);
    const stdout = await talk(s, "/standup 2\n/standup --author Nobody\n/standup many\n");
    expect(stdout).toContain("You: First");
    expect(stdout).toContain("Nothing was committed.");
    expect(stdout).toContain("days");
  },
  async "bump-version"(s) {
    s.file("package.json", '{ "version": "1.2.3" }\n');
    expect(await talk(s, "/bump\n")).toContain("Left at 1.2.3.");
    if (!hasTerminals) return;
    await using t = terminal(s, ["chat"]);
    await t.shows("> ");
    t.type("/bump\r");
    await t.shows("  2 minor: 1.3.0\r\n");
    await t.shows("[1-3] ");
    t.type("minor\r");
    await t.shows("    -1.2.3\r\n    +1.3.0\r\n");
    await t.shows("[y, n; Enter: n] ");
    t.type("y\r");
    await t.shows("Now at 1.3.0.");
    expect(readFileSync(join(s.project, "package.json"), "utf8")).toBe('{ "version": "1.3.0" }\n');
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  },
  async "branch-in-sight"(s) {
    repository(s);
    await using server = await startModelServer([
      toolCall("Write", { file_path: "b.txt", content: "b\n" }),
      text("Done."),
    ]);
    s.useModel(server.baseUrl);
    const { stdout } = await s.run(["chat"], { input: "go\n" });
    expect(stdout).toMatch(/^· branch-in-sight: main\n/);
    expect(stdout).toContain("warning: branch-in-sight: Files were changed on main.\n");
  },
  async "tool-stats"(s) {
    const calls = [toolCall("Read", { file_path: "none.txt" }), toolCall("Bash", { command: "true" })];
    const stdout = await talk(s, "go\n/stats\n", calls, text("Done."));
    expect(stdout).toContain("  Read: 1, 1 failed\n  Bash: 1, 0 failed\n");
  },
  async glossary(s) {
    install(s, "glossary-tool");
    s.file("glossary.json", '{"SKU":"What one can order."}');
    const calls = [toolCall("Glossary", { term: "sku" }), toolCall("Glossary", { term: "EAN" })];
    expect(await results(s, calls)).toEqual(["What one can order.", '"EAN" is not in the glossary. It knows: SKU']);
  },
  async "glossary-tool"(s) {
    await using server = await startModelServer([text("Well.")]);
    s.useModel(server.baseUrl);
    const { code, stderr } = await s.run(["-p", "hi"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/glossary-tool.*glossary/) });
  },
  async "git-status"(s) {
    repository(s);
    s.file("b.txt", "");
    const [request] = await requests(s, ["-p", "hi"], text("Hello."));
    expect(request).toMatch(/git status --short --branch says:\\n## main\\n\?\? b\.txt/);
  },
  async "house-style"(s) {
    configure(s, '[house-style]\nrules = ["Say please."]\n');
    const [request] = await requests(s, ["-p", "hi"], text("Hello."));
    expect(request).toContain("Rules of this team:\\n- Say please.");
  },
  async "todo-scanner"(s) {
    const [told] = await results(s, toolCall("Write", { file_path: "a.js", content: "one\n// TODO two\n" }));
    expect(told).toMatch(/Still to do in this file:\n2: \/\/ TODO two$/);
  },
  async "test-after-edit"(s) {
    configure(s, '[test-after-edit]\ncommand = ["grep", "-c", "good", "a.txt"]\n');
    const [bad] = await results(s, toolCall("Write", { file_path: "a.txt", content: "bad\n" }));
    expect(bad).toMatch(/grep -c good a\.txt fails now:\n0\n$/);
    s.file("a.txt", "good\n");
    const [good] = await results(s, toolCall("Write", { file_path: "b.txt", content: "b\n" }));
    expect(good).not.toContain("fails now");
  },
  async "protect-main"(s) {
    repository(s);
    const write = toolCall("Write", { file_path: "b.txt", content: "b\n" });
    expect(await results(s, write)).toEqual([
      "Nothing is changed on main: make a branch first (git switch -c <name>).",
    ]);
    git(s, "switch", "-qc", "work");
    await results(s, write);
    expect(existsSync(join(s.project, "b.txt"))).toBe(true);
  },
  async subagent(s) {
    configure(s, '[subagent]\npreset = "readonly"\n');
    s.file("a.txt", "forty-two\n");
    await using server = await startModelServer([
      toolCall("Ask", { task: "What is in a.txt?" }),
      [toolCall("Read", { file_path: "a.txt" }), usage({ input: 50, output: 5 })],
      text("It says forty-two."),
      text("Forty-two."),
    ]);
    s.useModel(server.baseUrl);
    expect(await s.run(["-p", "Go.", "--yes"])).toMatchObject({ code: 0, stdout: "Forty-two.\n", stderr: "" });
    const offered = server.requests.map(({ body }) => (body.tools as any[]).map((tool) => tool.function.name));
    expect(offered[0]).toEqual(expect.arrayContaining(["Ask", "Write", "Read"]));
    expect(offered[1]).toContain("Read");
    expect(offered[1]).not.toContain("Write");
    const { stdout } = await s.run(["session", "list", "--output", "json"]);
    expect(JSON.parse(stdout)).toHaveLength(1);
    const all = JSON.parse((await s.run(["session", "list", "--children", "--output", "json"])).stdout);
    expect(all.map(({ kind, preset }: any) => [kind, preset])).toEqual(
      expect.arrayContaining([
        ["subagent", "readonly"],
        [undefined, undefined],
      ]),
    );
  },
  async spent(s) {
    await requests(s, ["-p", "hi"], text("Hello."));
    expect(await s.run(["spent"])).toMatchObject({ code: 0, stdout: "0.0000 US dollars in 1 sessions\n" });
  },
};

describe("an example in docs/examples", () => {
  it("is used by one of these tests, and its first sentence says what it is for", () => {
    expect(files.map(({ id }) => id).sort()).toEqual(Object.keys(uses).sort());
    for (const { id, about } of files) expect([id, about]).toEqual([id, expect.stringMatching(/^[A-Z`].*\.$/)]);
  });

  it.each(files)("$id is one file of less than 75 lines", ({ source }) => {
    expect(source.split("\n").length).toBeLessThan(75);
  });

  it.each(files.map(({ id }) => id))("%s works as described", async (id) => {
    // Tracing can be set up only once per process.
    using s = scratch({ inProcess: id !== "traces" });
    install(s, id);
    await uses[id]?.(s);
  });
});

describe("a guard in the documentation", () => {
  const source = (id: string) => files.find((file) => file.id === id)?.source ?? "";
  const shown = (id: string) => readExamples().find((example) => example.id === id)?.source ?? "";
  const guards: [id: string, source: string, command: string, reason: string][] = [
    ["permission-guard", source("permission-guard"), "rm -rf src", "left to the user"],
    ["protect-main", source("protect-main"), "git commit -qam Changed", "Nothing is changed on main"],
    ["house-rules", shown("house-rules"), "git push", "Pushing is left to the user."],
    ["no-delete", shown("no-delete"), "rm a.txt", "Nothing is deleted here."],
    ["offline-guard", shown("offline-guard"), "curl 127.0.0.1", "works offline"],
    ["begun", templates.guard("begun").source, "git push", "Pushing is left to the user."],
  ];

  it.each(guards)(
    "%s judges the arguments that the tool receives, whatever other layers changed",
    async (id, text, command, reason) => {
      using s = scratch({ inProcess: true });
      repository(s);
      s.file(`~/.scorel/extensions/${id}.mts`, text);
      const swap = `handler(call) { call.args = { command: ${JSON.stringify(command)} }; }`;
      s.file(
        "~/.scorel/extensions/zz-swap.ts",
        `export default { id: "zz-swap", name: "Swap", version: "1.0.0", needs: [], hooks: () => ({ beforeToolCall: { level: "late", ${swap} } }) };`,
      );
      const [told] = await results(s, toolCall("Bash", { command: "echo harmless" }));
      expect(told).toContain(reason);
    },
  );

  it("is on a hook that runs after all changes of arguments", () => {
    const all = [...files.map(({ id, source }) => ({ id, source })), ...readExamples(), ...presetFiles()];
    const misplaced = all.filter(({ source }) => /beforeToolCall[\s\S]*block: true/.test(source));
    expect(misplaced.map(({ id }) => id)).toEqual([]);
  });
});

/** The extensions of the team's preset. */
function presetFiles(): { id: string; source: string }[] {
  const folder = new URL("../../docs/examples/team-preset/extensions/", import.meta.url);
  return readdirSync(folder).map((id) => ({ id, source: readFileSync(new URL(id, folder), "utf8") }));
}

/** Reads a stream of server-sent events whose data is JSON. */
async function serverEvents(url: string, headers: Record<string, string>) {
  const control = new AbortController();
  const response = await fetch(url, { headers, signal: control.signal });
  const chunks = (response.body as ReadableStream<any>).pipeThrough(new TextDecoderStream()).getReader();
  // Closing the stream is not a failure.
  chunks.closed.catch(() => {});
  const heard: any[] = [];
  let rest = "";
  const stream = {
    heard,
    /** The id of the last event. */
    id: "",
    async next(): Promise<any> {
      for (;;) {
        const end = rest.indexOf("\n\n");
        if (end >= 0) {
          const lines = rest.slice(0, end).split("\n");
          rest = rest.slice(end + 2);
          for (const line of lines) if (line.startsWith("id: ")) stream.id = line.slice(4);
          const data = JSON.parse(lines.find((line) => line.startsWith("data: "))?.slice(6) as string);
          heard.push(data);
          return data;
        }
        const { value, done } = await chunks.read();
        if (done) throw new Error("the stream has ended");
        rest += value;
      }
    },
    async until(wanted: (data: any) => boolean): Promise<any> {
      for (;;) {
        const data = await stream.next();
        if (wanted(data)) return data;
      }
    },
    close(): void {
      control.abort();
    },
  };
  return stream;
}

function install(s: Scratch, id: string): void {
  s.file(`~/.scorel/extensions/${id}.ts`, files.find((file) => file.id === id)?.source ?? "");
}

/** Configuration that follows the model's; `useModel` writes the file again. */
function configure(s: Scratch, more: string): void {
  const { useModel } = s;
  s.useModel = (baseUrl) => useModel(baseUrl, more);
}

/** The results of tool calls that the model received. */
async function results(s: Scratch, calls: Reply): Promise<string[]> {
  await using server = await startModelServer([calls, text("Done.")]);
  s.useModel(server.baseUrl);
  const { code, stderr } = await s.run(["-p", "Go."]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const messages = server.requests[1]?.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** The requests to the model, as text. */
async function requests(s: Scratch, args: string[], reply: Reply, env = {}): Promise<string[]> {
  await using server = await startModelServer([reply]);
  s.useModel(server.baseUrl);
  const { code, stderr } = await s.run(args, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return server.requests.map((request) => request.text);
}

/** The output of a conversation with these lines. */
async function talk(s: Scratch, input: string, ...replies: Reply[]): Promise<string> {
  await using server = await startModelServer(replies);
  s.useModel(server.baseUrl);
  const { code, stdout, stderr } = await s.run(["chat"], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

function lastLog(s: Scratch): Record<string, unknown>[] {
  return records(s.logs().at(-1) as string);
}

function git({ project }: Scratch, ...args: string[]): string {
  return execFileSync("git", args, { cwd: project, encoding: "utf8" });
}

/** A repository with one commit on main, and an author for further commits. */
function repository(s: Scratch): void {
  s.file("a.txt", "a\n");
  git(s, "init", "-q", "--initial-branch=main");
  git(s, "config", "user.name", "You");
  git(s, "config", "user.email", "you@example.com");
  git(s, "add", ".");
  git(s, "commit", "-qm", "First");
}
