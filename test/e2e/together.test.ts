import { describe, expect, it } from "vitest";
import { delayUntil, startModelServer, text } from "../model-server.ts";
import { describeWith, itWith } from "../optional.ts";
import { type Terminal, terminal } from "./pty.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** Starts a host in a process that ends with the test, and waits until it accepts connections. */
async function serving(s: Scratch, more: readonly string[] = []) {
  const host = s.start(["host", "serve", "--foreground", ...none, ...more]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

describe("a conversation whose host is restarted", () => {
  it("continues by itself when its lines come from a pipe", async () => {
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

  itWith("script", "says in a terminal that the host is gone and back, and can be left meanwhile", async () => {
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
    await Promise.all([staying.shows("(no connection to the host:"), leaving.shows("(no connection to the host:")]);
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

describeWith("script", "a terminal whose host is killed during a turn", () => {
  it("continues where another terminal opens the session, and gets nothing that it did not request", async () => {
    using s = scratch();
    await using server = await startModelServer([
      [text("half of "), delayUntil(new Promise(() => {}))],
      text("second"),
    ]);
    s.useModel(server.baseUrl);
    const host = await serving(s);
    await using first = terminal(s, [...none]);
    await first.shows("> ");
    first.type("one\r");
    await first.shows("half of");
    host.child.kill("SIGKILL");
    await host.finished;
    await first.shows("no connection to the host");
    await using other = terminal(s, [...none, "--continue"]);
    await first.shows("continues in another one");
    other.type("two\r");
    await first.shows("second");
    expect(first.screen()).not.toMatch(/while it worked|wait_turn/);
  });
});

describeWith("script", "three terminals in one session of a host", () => {
  /** Each terminal sends a message, and all show every answer. */
  async function talk(all: readonly Terminal[], words: readonly string[]) {
    for (const [index, each] of all.entries()) {
      each.type(`question ${words[index]}\r`);
      await Promise.all(all.map((one) => one.shows(`answer to question ${words[index]}`)));
    }
  }

  async function stage(s: Scratch) {
    const server = await startModelServer(({ body }) => {
      const asked = JSON.stringify(body.messages.at(-1)).match(/question \w+/)?.[0];
      return text(`answer to ${asked}.`);
    });
    s.useModel(server.baseUrl);
    return server;
  }

  const idIn = (shown: string) => /New session (\w{16})/.exec(shown)?.[1] as string;

  /** Two terminals in one session of a host, after its first turn. */
  async function pairAtHost(s: Scratch) {
    const host = await serving(s);
    const first = terminal(s, [...none]);
    await first.shows("> ");
    await talk([first], ["zero"]);
    const second = terminal(s, [...none, "attach"]);
    await second.shows("answer to question zero");
    const dispose = async () => {
      await Promise.all([first, second].map((each) => each[Symbol.asyncDispose]()));
    };
    return { host, first, second, [Symbol.asyncDispose]: dispose };
  }

  it("keep their names wherever the session continues, and later clients get other names", async () => {
    using s = scratch();
    await using _server = await stage(s);
    // Without a host: the first process has the session open.
    await using first = terminal(s, [...none]);
    await first.shows("> ");
    await talk([first], ["zero"]);
    await using second = terminal(s, [...none, "--continue"]);
    await second.shows("(also here: terminal; you are terminal-2)");
    await using third = terminal(s, [...none, "--continue"]);
    await third.shows("you are terminal-3)");
    first.type("/exit\r");
    expect(await first.code).toBe(0);
    // The session continues in the process of one of them.
    second.type("question two\r");
    await third.shows("terminal-2> question two");
    await third.shows("answer to question two");
    third.type("question three\r");
    await second.shows("terminal-3> question three");
    await second.shows("answer to question three");
    await using late = terminal(s, [...none, "--continue"]);
    await late.shows("you are terminal-4)");
  });

  it("keep their names after a restart of the host, and whoever comes then gets another one", async () => {
    using s = scratch();
    await using _server = await stage(s);
    await using pair = await pairAtHost(s);
    const { host, first, second } = pair;
    await second.shows("(also here: terminal; you are terminal-2)");
    host.child.kill("SIGKILL");
    await host.finished;
    await serving(s);
    // Clients that have not reconnected yet are not shown as present.
    await talk([first, second], ["b1", "b2"]);
    await using late = terminal(s, [...none, "attach"]);
    await late.shows("you are terminal-3)");
    second.type("question two\r");
    await Promise.all([first, late].map((each) => each.shows("terminal-2> question two")));
    first.type("question one\r");
    await Promise.all([second, late].map((each) => each.shows("terminal> question one")));
    late.type("question three\r");
    await Promise.all([first, second].map((each) => each.shows("terminal-3> question three")));
  });

  it("all continue in the next host, also the one that began without a host", async () => {
    using s = scratch();
    await using _server = await stage(s);
    await using early = terminal(s, [...none]);
    await early.shows("> ");
    await using pair = await pairAtHost(s);
    const { host, first, second } = pair;
    early.type(`/resume ${idIn(first.screen())}\r`);
    await early.shows("answer to question zero");
    const all = [early, first, second];
    await talk(all, ["a1", "a2", "a3"]);
    const joins = () => all.map((each) => each.screen().split("is here, too").length);
    const before = joins();
    host.child.kill("SIGTERM");
    await host.finished;
    await serving(s);
    await talk(all, ["b1", "b2", "b3"]);
    // The same clients have only reconnected, so nobody has joined.
    expect(joins()).toEqual(before);
  });

  it("two of them find the session in the third, which has opened it while there was no host", async () => {
    using s = scratch();
    await using _server = await stage(s);
    await using pair = await pairAtHost(s);
    const { host, first, second } = pair;
    host.child.kill("SIGTERM");
    await host.finished;
    second.type("question waiting\r");
    await using third = terminal(s, [...none, "--session", idIn(first.screen())]);
    const all = [first, second, third];
    await Promise.all(all.map((each) => each.shows("answer to question waiting")));
    await talk(all, ["a1", "a2", "a3"]);
    await serving(s);
    await talk(all, ["b1", "b2", "b3"]);
    third.type("\u0004");
    expect(await third.code).toBe(0);
    await talk([first, second], ["c1", "c2"]);
    // The message that waited for a host was sent only once.
    const sent = records(s.logs()[0] as string).filter((each) => JSON.stringify(each).includes('"question waiting"'));
    expect(sent.length).toBe(1);
  });
});
