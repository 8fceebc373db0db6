import { describe, expect, it } from "vitest";
import { delayUntil, startModelServer, text } from "../model-server.ts";
import { hasTerminals, terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** Starts a host in a process that ends with the test, and waits until it can be reached. */
async function serving(s: Scratch, more: readonly string[] = []) {
  const host = s.start(["host", "serve", "--foreground", ...none, ...more]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

describe("a conversation whose host is restarted", () => {
  it("goes on by itself when its lines come from a pipe", async () => {
    using s = scratch();
    await using server = await startModelServer([text("first answer"), text("second answer"), text("third answer")]);
    s.useModel(server.baseUrl);
    const first = await serving(s);
    const talk = s.start([...none, "chat"], { open: true });
    talk.child.stdin?.write("one\n");
    await talk.line((line) => line.includes("first answer"));
    first.child.kill("SIGTERM");
    await first.finished;
    talk.child.stdin?.write("two\n");
    const second = await serving(s);
    await talk.line((line) => line.includes("second answer"));
    second.child.kill("SIGKILL");
    await second.finished;
    await serving(s);
    talk.child.stdin?.write("three\n");
    await talk.line((line) => line.includes("third answer"));
    talk.child.stdin?.end();
    expect((await talk.finished).code).toBe(0);
  });

  it.skipIf(!hasTerminals)("says in a terminal that the host is gone and back, and can be left meanwhile", async () => {
    using s = scratch();
    await using server = await startModelServer([
      text("first answer"),
      [text("half of "), delayUntil(new Promise(() => {}))],
      text("third answer"),
    ]);
    s.useModel(server.baseUrl);
    const first = await serving(s);
    await using staying = terminal(s, [...none, "chat"]);
    await staying.shows("> ");
    staying.type("one\r");
    await staying.shows("first answer");
    await using leaving = terminal(s, [...none, "attach"]);
    await leaving.shows("(also here: terminal; you are terminal-2)");
    await staying.shows("(terminal-2 is here, too)");
    staying.type("two\r");
    await Promise.all([staying.shows("half of"), leaving.shows("half of")]);
    first.child.kill("SIGKILL");
    await first.finished;
    await Promise.all([staying.shows("(the host is gone:"), leaving.shows("(the host is gone:")]);
    leaving.type("\u0003");
    expect(await leaving.code).toBe(0);
    await serving(s);
    await staying.shows("(the host is back)");
    staying.type("three\r");
    await staying.shows("third answer");
    staying.type("/exit\r");
    expect(await staying.code).toBe(0);
  });

  it("ends a prompt whose turn ended with the former host", async () => {
    using s = scratch();
    await using server = await startModelServer([[text("half of "), delayUntil(new Promise(() => {}))]]);
    s.useModel(server.baseUrl);
    const first = await serving(s);
    const prompt = s.start([...none, "-p", "one", "--output", "events"]);
    await prompt.line((line) => line.includes('"text_delta"'));
    first.child.kill("SIGKILL");
    await first.finished;
    await serving(s);
    const { code, stdout, stderr } = await prompt.finished;
    expect([code === 0, `${stdout}${stderr}`]).toEqual([
      false,
      expect.not.stringContaining("was sent to this session"),
    ]);
  });
});
