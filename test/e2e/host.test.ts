import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** Starts a host in a process that ends with the test, and waits until it accepts connections. */
async function serving(s: Scratch, more: readonly string[] = []) {
  const host = s.start(["host", "serve", "--foreground", ...more]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

/** The messages of the only session, as `role: text`. */
function conversation(s: Scratch): string[] {
  const [log = ""] = s.logs();
  return records(log).flatMap(({ type, message }) => {
    if (type !== "message") return [];
    const { role, content } = message as { role: string; content: string | { text?: string }[] };
    const words = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
    return [`${role}: ${words}`];
  });
}

describe("scorel host", () => {
  it("starts in the background, says where it is, and stops", async () => {
    using s = scratch();
    expect(await s.run(["host", "status"])).toMatchObject({
      code: 1,
      stdout: "No host is running. Start one: scorel host serve\n",
    });
    const started = await s.run(["host", "serve"]);
    try {
      expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The host runs now \(process \d+\)\./) });
      const status = JSON.parse((await s.run(["host", "status", "--json"])).stdout);
      expect(status).toMatchObject({
        running: true,
        state: { preset: "coding", addresses: [{ transport: "socket", address: expect.stringMatching(/\.sock$/) }] },
      });
      expect(started.stdout).toContain(`process ${status.pid}`);
      expect(await s.run(["host", "serve"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("A host is already running"),
      });
      const replaced = await s.run(["host", "serve", "--replace"]);
      expect(replaced.code).toBe(0);
      expect(replaced.stdout).not.toContain(`process ${status.pid}`);
    } finally {
      const stopped = await s.run(["host", "stop"]);
      expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining("has stopped") });
    }
    expect(await s.run(["host", "stop"])).toMatchObject({ code: 0, stdout: "No host was running.\n" });
    expect(await s.run(["host", "logs", "--lines", "few"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not "few"'),
    });
    expect((await s.run(["host", "logs", "--lines", "1"])).stdout).toMatch(/^socket: .*\.sock\n$/);
    expect(readdirSync(join(s.home, ".scorel/run"))).toEqual(["host.log"]);
  });

  itWith(["linux", "bash"], "keeps nothing open that the script which started it has left open", async () => {
    using s = scratch();
    const leaving = ["bash", "-c", 'exec 200>&1; exec "$@"', "bash"];
    try {
      // Its output has ended only when nobody has it open any more.
      expect((await s.run(["host", "serve"], { through: leaving })).code).toBe(0);
    } finally {
      await s.run(["host", "stop"]);
    }
  });

  it("logs what fails in it, and why", async () => {
    using s = scratch();
    const failing = "{ id: 'failing', name: 'F', version: '1', scope: 'host', activate: later }";
    const later =
      "function later({ logger }) { setTimeout(() => logger.warn('A client was lost', new Error('the line is cut')), 500).unref(); }";
    s.file("~/.scorel/extensions/failing.ts", `${later}\nexport default ${failing};\n`);
    await s.run(["host", "serve"]);
    try {
      await eventually(async () =>
        expect((await s.run(["host", "logs"])).stdout).toMatch(
          /^scorel: warn: A client was lost: Error: the line is cut\n {4}at .*failing\.ts/m,
        ),
      );
    } finally {
      await s.run(["host", "stop"]);
    }
  });

  it("is used by commands of the same version and preset, and answers as they do alone", async () => {
    using s = scratch();
    await using server = await startModelServer([text("first answer"), text("second answer"), text("third answer")]);
    s.useModel(server.baseUrl);
    const host = await serving(s, none);
    const first = await s.run([...none, "-p", "one", "--output", "json"]);
    expect(JSON.parse(first.stdout)).toMatchObject({ text: "first answer", stopReason: "stop" });
    expect(await s.run([...none, "-p", "two", "--continue"])).toMatchObject({
      code: 0,
      stdout: "second answer\n",
      stderr: "",
    });
    // Another preset has another host, but the command uses the one that has the session open.
    expect(await s.run(["-p", "three", "--continue"])).toMatchObject({ code: 0, stdout: "third answer\n" });
    expect(conversation(s)).toEqual([
      ...["user: one", "assistant: first answer", "user: two", "assistant: second answer"],
      ...["user: three", "assistant: third answer"],
    ]);
    host.child.kill("SIGTERM");
    expect((await host.finished).code).toBe(143);
    expect(existsSync(join(s.home, ".scorel/run/host.json"))).toBe(false);
  });

  it("continues a turn whose terminal is closed", async () => {
    using s = scratch();
    const released = gate();
    await using server = await startModelServer([[text("working "), delayUntil(released.promise), text("done")]]);
    s.useModel(server.baseUrl);
    const host = await serving(s, none);
    const client = s.start([...none, "-p", "one", "--output", "events"]);
    await client.line((line) => line.includes('"text_delta"'));
    client.child.kill("SIGKILL");
    await client.finished;
    released.open();
    // A host that stops waits for the running turn.
    host.child.kill("SIGTERM");
    await host.finished;
    expect(conversation(s)).toEqual(["user: one", "assistant: working done"]);
  });

  it("runs commands with the variables of the terminal, without keys", async () => {
    using s = scratch();
    const command = "echo $COLOUR; env | grep -c -E '^(OPENAI_API_KEY|CDPATH)='";
    await using server = await startModelServer([toolCall("Bash", { command }), text("done")]);
    s.useModel(server.baseUrl);
    await serving(s);
    const env = { COLOUR: "green", OPENAI_API_KEY: "sk-of-the-terminal", CDPATH: "/" };
    expect((await s.run(["-p", "one"], { env })).code).toBe(0);
    const results = conversation(s).filter((line) => line.startsWith("tool_result"));
    expect(results).toEqual([expect.stringContaining("green\n0\n")]);
  });

  it("says that a key is missing in its environment, and how to start it with the key", async () => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl, 'apiKeyEnv = "MYK"\n');
    const host = await serving(s, [...none, "--port", "0"]);
    const { code, stdout, stderr } = await s.run([...none, "-p", "one"], { env: { MYK: "x" } });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `scorel: No key for provider "scripted": the environment variable MYK is not set in the host that runs this session (process ${host.pid}), which has the variables of the shell that started it. Start the host again from a shell in which MYK is set: \`scorel host serve --replace --port 0 --preset none\`.\n`,
    });
    host.child.kill("SIGTERM");
    await host.finished;
    // Without a host, the command itself has the session.
    expect((await s.run([...none, "-p", "one"])).stderr).toContain("MYK is not set. Set it");
  });

  it("says whose keys it uses if it finds none for any model", async () => {
    using s = scratch();
    const host = await serving(s, [...none, "--port", "0"]);
    const { code, stderr } = await s.run([...none, "-p", "one"], { env: { OPENAI_API_KEY: "sk-of-the-terminal" } });
    expect([code, stderr.trimEnd().split("\n").at(-1)?.trim()]).toEqual([
      1,
      `The host that runs this session (process ${host.pid}) has the variables of the shell that started it. If only this shell has a key, start the host again from here: \`scorel host serve --replace --port 0 --preset none\`.`,
    ]);
  });

  it("counts the rounds of a prompt that it answers", async () => {
    using s = scratch();
    await using server = await startModelServer([
      toolCall("Bash", { command: "true" }),
      // The second reply belongs to a cancelled turn: the command enforces the limit, and the host may already have
      // sent a request.
      [delayUntil(new Promise(() => {})), text("never")],
    ]);
    s.useModel(server.baseUrl);
    await serving(s);
    expect((await s.run(["-p", "one", "--max-rounds", "1"])).code).toBe(3);
  });

  it("can be attached to, by default in the session used last, or at an address", async () => {
    using s = scratch();
    await using server = await startModelServer([text("one"), text("two"), text("three")]);
    s.useModel(server.baseUrl);
    await serving(s, none);
    expect(await s.run(["attach"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no session yet") });
    await s.run([...none, "-p", "first"]);
    const attached = await s.run([...none, "attach"], { input: "second\n" });
    expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining("two") });
    // Only messages of others are shown again, with the name of their client.
    expect(attached.stdout).not.toContain("> second");
    const { state } = JSON.parse((await s.run(["host", "status", "--json"])).stdout);
    const [{ address }] = state.addresses;
    const elsewhere = await s.run(["attach", "--url", address], { input: "third\n" });
    expect(elsewhere).toMatchObject({ code: 0, stdout: expect.stringContaining("three") });
    expect(conversation(s).filter((line) => line.startsWith("user"))).toEqual([
      "user: first",
      "user: second",
      "user: third",
    ]);
    expect(await s.run(["attach", "--url", "gopher://x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"gopher://x" is not the address of a host'),
    });
  });
});

it("a session goes on in the terminal that stays when the one that began it is closed", async () => {
  using s = scratch();
  await using server = await startModelServer([text("first answer"), text("second answer"), text("third answer")]);
  s.useModel(server.baseUrl);
  const first = s.start([...none, "chat"], { open: true });
  first.child.stdin?.write("one\n");
  await first.line((line) => line.includes("first answer"));
  const second = s.start([...none, "chat", "--continue"], { open: true });
  second.child.stdin?.write("two\n");
  await second.line((line) => line.includes("second answer"));
  first.child.stdin?.end();
  expect((await first.finished).code).toBe(0);
  second.child.stdin?.write("three\n");
  await second.line((line) => line.includes("third answer"));
  second.child.stdin?.end();
  expect(await second.finished).toMatchObject({ code: 0, stderr: "" });
  expect(conversation(s)).toEqual([
    ...["user: one", "assistant: first answer", "user: two", "assistant: second answer"],
    ...["user: three", "assistant: third answer"],
  ]);
});

it("a terminal that has joined a session in another one's process can begin a new session there", async () => {
  using s = scratch();
  await using server = await startModelServer([text("first answer"), text("second answer"), text("third answer")]);
  s.useModel(server.baseUrl);
  const first = s.start([...none, "chat"], { open: true });
  first.child.stdin?.write("one\n");
  await first.line((line) => line.includes("first answer"));
  const second = s.start([...none, "chat", "--continue"], { open: true });
  second.child.stdin?.write("two\n");
  await second.line((line) => line.includes("second answer"));
  second.child.stdin?.end("/new\nthree\n");
  const { code, stdout } = await second.finished;
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^second answer\n {2}New session; the former one is kept: \/resume \S+\nthird answer\n$/,
    ),
  });
  first.child.stdin?.end();
  expect((await first.finished).stdout).not.toContain("three");
});

/** An extension with a command that follows a session and prints how it is connected. */
const face = `
import { followSession } from "@scorel/host/client";
import { definePlugin } from "@scorel/kernel";
export default definePlugin({
  id: "face",
  name: "Face",
  version: "1.0.0",
  scope: "host",
  needs: ["host"],
  cliCommands: ({ host }) => [{
    noun: "face",
    description: "Follow the latest session",
    async run({ stdout, interrupt }) {
      const client = host.connect({ name: "face" });
      const { sessionId } = await client.request("continue_session", { cwd: process.cwd() });
      const view = await followSession(client, sessionId);
      let [before, wasLost] = ["", false];
      const tell = () => {
        const { connection, retry } = view.status;
        wasLost ||= connection === "reconnecting";
        const again = wasLost && connection === "live" ? "again" : "";
        const text = [connection, client.state.state, typeof retry?.reason, again].join(" ").trim();
        if (text !== before) stdout.write(text + "\\n");
        before = text;
      };
      view.subscribe(tell);
      client.onState(tell);
      tell();
      await new Promise((resolve) => interrupt.addEventListener("abort", resolve));
      await client.close();
      return 0;
    },
  }],
});
`;

it("a client in another process is told that the host is gone, and that it is back", async () => {
  using s = scratch();
  await using server = await startModelServer([text("first answer"), text("second answer")]);
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/face.ts", face);
  const host = await serving(s);
  expect((await s.run(["-p", "one"])).code).toBe(0);
  const following = s.start(["face"]);
  expect(await following.line(() => true)).toBe("live live undefined");
  host.child.kill("SIGKILL");
  await host.finished;
  await following.line((line) => line === "reconnecting waiting string");
  await serving(s);
  await following.line((line) => line === "live live undefined again");
  following.child.kill("SIGINT");
  expect((await following.finished).code).toBe(0);
});

it("a client is told that a session continues here when the terminal that had it is closed", async () => {
  using s = scratch();
  await using server = await startModelServer([text("first answer")]);
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/face.ts", face);
  const first = s.start(["chat"], { open: true });
  first.child.stdin?.write("one\n");
  await first.line((line) => line.includes("first answer"));
  const following = s.start(["face"]);
  expect(await following.line(() => true)).toBe("live live undefined");
  first.child.stdin?.end();
  expect((await first.finished).code).toBe(0);
  await following.line((line) => line === "reconnecting waiting string");
  await following.line((line) => line === "live live undefined again");
  following.child.kill("SIGINT");
  expect((await following.finished).code).toBe(0);
});

describe("a host in the background", () => {
  it("shows its version, preset, sessions and clients, and checks options before it is replaced", async () => {
    using s = scratch();
    await using server = await startModelServer([text("one")]);
    s.useModel(server.baseUrl);
    await serving(s, none);
    const talk = s.start([...none, "chat"], { open: true });
    talk.child.stdin?.write("hi\n");
    await talk.line((line) => line.includes("one"));
    const { stdout } = await s.run(["host", "status"]);
    expect(stdout).toMatch(/^A host runs: Scorel \S+, preset none, process \d+, up \d+ s\n/);
    expect(stdout).toContain("sessions: 1 open, 0 with a running turn\nclients: terminal (socket)\nsocket: ");
    const refused = await s.run(["host", "serve", "--replace", "--port", "nope"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"nope" is not a port') });
    // The model server uses that port; the running host continues.
    const taken = await s.run(["host", "serve", "--replace", "--port", new URL(server.baseUrl).port]);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("EADDRINUSE") });
    const status = JSON.parse((await s.run(["host", "status", "--output", "json"])).stdout);
    expect(status).toMatchObject({
      state: { preset: "none", words: ["--preset", "none"], background: false },
      clients: [{ name: "terminal", transport: "socket", connected: true }],
      sessions: { open: 1, running: 0, waiting: 0 },
    });
    talk.child.stdin?.end();
    await talk.finished;
  });

  it("of another version is replaced if nobody uses it; otherwise the versions are named", async () => {
    using s = scratch();
    await using server = await startModelServer([text("one"), text("two"), text("three")]);
    s.useModel(server.baseUrl);
    const state = join(s.home, ".scorel/run/host.json");
    const older = () =>
      writeFileSync(state, readFileSync(state, "utf8").replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
    expect((await s.run([...none, "host", "serve"])).code).toBe(0);
    try {
      const former = JSON.parse(readFileSync(state, "utf8"));
      older();
      const replacing = await s.run([...none, "-p", "one"]);
      expect(replacing).toMatchObject({
        code: 0,
        stdout: "one\n",
        stderr: expect.stringMatching(
          /running host is version 0\.0\.1, this is \S+; nobody used it, so it was replaced/,
        ),
      });
      const now = JSON.parse(readFileSync(state, "utf8"));
      expect(now).toMatchObject({ version: former.version, preset: "none", words: former.words, background: true });
      expect(now.pid).not.toBe(former.pid);
      // A connected client keeps the host running.
      const talk = s.start([...none, "chat"], { open: true });
      talk.child.stdin?.write("hi\n");
      await talk.line((line) => line.includes("two"));
      older();
      expect(await s.run([...none, "-p", "three"])).toMatchObject({
        code: 0,
        stdout: "three\n",
        stderr: expect.stringContaining("continuing without it, since terminal still uses it."),
      });
      expect(JSON.parse(readFileSync(state, "utf8")).pid).toBe(now.pid);
      talk.child.stdin?.end();
      await talk.finished;
    } finally {
      await s.run(["host", "stop"]);
    }
  });

  it("of another version is not replaced while a command runs in its background", async () => {
    using s = scratch();
    const background = toolCall("Bash", { command: "sleep 300", background: true });
    await using server = await startModelServer([background, text("one"), text("two")]);
    s.useModel(server.baseUrl);
    const state = join(s.home, ".scorel/run/host.json");
    const older = () =>
      writeFileSync(state, readFileSync(state, "utf8").replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
    expect((await s.run(["host", "serve"])).code).toBe(0);
    try {
      expect(await s.run(["--yes", "-p", "one"])).toMatchObject({ code: 0, stdout: "one\n" });
      older();
      expect(await s.run(["-p", "two"])).toMatchObject({
        code: 0,
        stdout: "two\n",
        stderr: expect.stringContaining("continuing without it, since something runs in its background."),
      });
    } finally {
      await s.run(["host", "stop"]);
    }
  });

  it("ends by itself when nobody has used it for as long as the configuration says", async () => {
    using s = scratch();
    s.file("~/.scorel/config.toml", "[daemon]\nidleMinutes = 0.1\n");
    const host = await serving(s);
    const state = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
    const [{ address }] = state.addresses;
    // A client keeps the host running even if it sends nothing.
    const proxy = s.start(["host", "proxy"], { open: true });
    const hello = { type: "hello", protocol: 1, version: "1", name: "test" };
    proxy.child.stdin?.write(`${JSON.stringify(hello)}\n`);
    await proxy.line((line) => line.includes('"welcome"'));
    const joined = performance.now();
    await eventually(() => expect(performance.now() - joined).toBeGreaterThan(8_000));
    expect(host.child.exitCode).toBeNull();
    proxy.child.stdin?.end(`${JSON.stringify({ type: "leave" })}\n`);
    await proxy.finished;
    expect((await host.finished).code).toBe(0);
    expect(existsSync(address)).toBe(false);
    expect(readdirSync(join(s.home, ".scorel/run"))).toEqual([]);
  });

  it("is reset after the files to delete are listed and the user agrees", async () => {
    using s = scratch();
    const host = await serving(s, ["--port", "0"]);
    // Six prompts at the same time; none may be lost.
    const names = ["a", "b", "c", "d", "e", "f"];
    await Promise.all(names.map((name) => s.run(["host", "token", "rotate", name])));
    const { tokens } = JSON.parse((await s.run(["host", "token", "--json"])).stdout) as { tokens: { name: string }[] };
    expect(tokens.map(({ name }) => name).sort()).toEqual([...names, "owner"]);
    const asked = await s.run(["host", "reset"]);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("Nothing was changed.") });
    expect(asked.stdout).toContain(`- stop the host (process ${host.child.pid}); running turns get 10 s`);
    expect(asked.stdout).toContain("- delete the tokens (a, b, c, d, e, f, owner);");
    expect(await s.run(["host", "reset", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Done."),
    });
    expect((await host.finished).code).toBe(143);
    expect([readdirSync(join(s.home, ".scorel/host")), readdirSync(join(s.home, ".scorel/run"))]).toEqual([[], []]);
    expect((await s.run(["host", "reset"])).stdout).toContain("There is nothing to reset");
  });

  itWith("linux", "is installed as a service of the user, in a file that only Scorel replaces", async () => {
    using s = scratch();
    const env = { XDG_CONFIG_HOME: join(s.home, "config") };
    const unit = join(env.XDG_CONFIG_HOME, "systemd/user/scorel-host.service");
    const run = (...args: string[]) => s.run(["host", ...args], { env, guarded: true });
    const printed = await run("install", "--print", "--port", "7777");
    expect(printed.stdout).toMatch(/ExecStart=".*" ".*bin.js" "host" "serve" "--foreground" "--port" "7777"\n/);
    expect(existsSync(unit)).toBe(false);
    expect((await run("install", "--port", "7777")).stdout).toContain(`Written: ${unit}\n`);
    expect(readFileSync(unit, "utf8")).toBe(printed.stdout);
    writeFileSync(unit, "[Unit]\n");
    for (const action of ["install", "uninstall"])
      expect(await run(action)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was not written by Scorel"),
      });
    expect((await run("install", "--force")).code).toBe(0);
    expect((await run("uninstall")).stdout).toContain(`Deleted: ${unit}\n`);
    expect(existsSync(unit)).toBe(false);
  });
});

it("-p says once that a project is not trusted, whichever process has the session open", async () => {
  using s = scratch();
  await using server = await startModelServer([text("alone"), text("at the host")]);
  s.useModel(server.baseUrl);
  s.file(".scorel/instructions.md", "PLANTED WORDS");
  const alone = await s.run(["-p", "hi"]);
  expect(alone.stderr).toBe(
    `scorel: ${join(s.project, ".scorel")} is not trusted, so nothing in it is used. To see it and trust it: scorel trust add ${s.project}; for one run: --trust\n`,
  );
  await serving(s);
  expect(await s.run(["-p", "hi"])).toMatchObject({ stdout: "at the host\n", stderr: alone.stderr });
});

it("--trust applies to the command's own process, even if a host runs that does not trust the project", async () => {
  using s = scratch();
  await using server = await startModelServer([text("trusted"), text("not trusted")]);
  s.useModel(server.baseUrl);
  s.file(".scorel/instructions.md", "PLANTED WORDS");
  await serving(s);
  expect(await s.run(["-p", "hi", "--trust"])).toMatchObject({ code: 0, stdout: "trusted\n", stderr: "" });
  expect((await s.run(["-p", "hi"])).stdout).toBe("not trusted\n");
  const isPlanted = ({ body }: { body: unknown }) => JSON.stringify(body).includes("PLANTED WORDS");
  expect(server.requests.map(isPlanted)).toEqual([true, false]);
});

it("a prompt for a session in which a turn runs is queued, taken back by Ctrl-C, or refused as asked", async () => {
  using s = scratch();
  const released = gate();
  await using server = await startModelServer([
    [text("first "), delayUntil(released.promise), text("answer")],
    text("second answer"),
  ]);
  s.useModel(server.baseUrl);
  await serving(s, none);
  const first = s.start([...none, "-p", "one", "--output", "events"]);
  await first.line((line) => line.includes('"text_delta"'));
  const busy = [...none, "--continue", "-p"];
  const refused = await s.run([...busy, "no", "--if-busy", "refuse"]);
  expect(refused).toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("so the prompt was not sent") });
  const withdrawn = s.start([...busy, "never mind"]);
  await withdrawn.said("the prompt waits until it ends");
  withdrawn.child.kill("SIGINT");
  expect((await withdrawn.finished).code).toBe(130);
  const second = s.start([...busy, "two", "--max-rounds", "1"]);
  await second.said("the prompt waits until it ends");
  released.open();
  expect(await second.finished).toMatchObject({ code: 0, stdout: "second answer\n" });
  expect((await first.finished).code).toBe(0);
  expect(conversation(s)).toEqual(["user: one", "assistant: first answer", "user: two", "assistant: second answer"]);
});
