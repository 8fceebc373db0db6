import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** Starts a host in a process that ends with the test, and waits until it can be reached. */
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
        stderr: expect.stringContaining("A host is running already"),
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
    // Another preset is another host: the command asks the one that has the session open.
    expect(await s.run(["-p", "three", "--continue"])).toMatchObject({ code: 0, stdout: "third answer\n" });
    expect(conversation(s)).toEqual([
      ...["user: one", "assistant: first answer", "user: two", "assistant: second answer"],
      ...["user: three", "assistant: third answer"],
    ]);
    host.child.kill("SIGTERM");
    expect((await host.finished).code).toBe(143);
    expect(existsSync(join(s.home, ".scorel/run/host.json"))).toBe(false);
  });

  it("goes on with a turn whose terminal is gone", async () => {
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
    // Stopping lets the running turn end first.
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

  it("can be attached to, by default in the session used last, or at an address", async () => {
    using s = scratch();
    await using server = await startModelServer([text("one"), text("two"), text("three")]);
    s.useModel(server.baseUrl);
    await serving(s, none);
    expect(await s.run(["attach"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no session yet") });
    await s.run([...none, "-p", "first"]);
    const attached = await s.run([...none, "attach"], { input: "second\n" });
    expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining("two") });
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
      stderr: expect.stringContaining('"gopher://x" is no address of a host'),
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
