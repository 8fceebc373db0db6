import { basename } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith, itWith } from "../optional.ts";
import { hostClient } from "../programs/browser.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

itWith("script", "remaining terminals are told where the session continues when its terminal is closed", async () => {
  using s = scratch();
  await using server = await startModelServer([text("first answer"), text("second answer")]);
  s.useModel(server.baseUrl);
  await using first = terminal(s, ["--preset", "none"]);
  await first.shows("> ");
  first.type("one\r");
  await first.shows("first answer");
  await using second = terminal(s, ["--preset", "none", "--continue"]);
  await second.shows("(also here: terminal; you are terminal-2)");
  await first.shows("(terminal-2 is here, too)");
  first.type("\u0004");
  await first.shows(
    "The session continues without you: terminal-2 is still there. To come back: scorel --preset none --session ",
  );
  expect(await first.code).toBe(0);
  await second.shows(
    "(the terminal that ran this session was closed; the session continues in yours, and you need not do anything)",
  );
  second.type("two\r");
  await second.shows("second answer");
  second.type("\u0004");
  await second.shows("To continue: scorel --preset none --session ");
  expect(await second.code).toBe(0);
});

describeWith("script", "in a terminal,", () => {
  it("a turn that ends with the terminal is said before it is left, and afterwards", async () => {
    using s = scratch();
    const held = gate();
    await using server = await startModelServer([[text("Begun."), delayUntil(held.promise)]]);
    s.useModel(server.baseUrl);
    await using t = fullScreen(s);
    await t.shows("scripted-model");
    t.type("go\r");
    await t.shows("Begun.");
    t.type("\u0004");
    await t.shows("A turn is running and ends with this terminal. Press Ctrl-D again to leave.");
    t.type("\u0004");
    expect(await t.code).toBe(0);
    expect(t.screen.text()).toMatch(/^The running turn was stopped\.\nTo continue: scorel --session \w+$/m);
    held.open();
  });

  it("a turn that goes on in a host is said when the terminal is left, which one key does", async () => {
    using s = scratch();
    const held = gate();
    await using server = await startModelServer([[text("Begun."), delayUntil(held.promise)]]);
    s.useModel(server.baseUrl);
    const host = s.start(["host", "serve", "--foreground"]);
    await host.line((line) => line.startsWith("socket: "));
    await using t = fullScreen(s);
    await t.shows("scripted-model");
    t.type("go\r");
    await t.shows("Begun.");
    t.type("\u0004");
    expect(await t.code).toBe(0);
    expect(t.screen.text()).toMatch(/^The turn goes on in the host\.\nTo continue: scorel --session \w+$/m);
    held.open();
    host.child.kill("SIGTERM");
    await host.finished;
  });

  it.each([
    ["line by line", false],
    ["on the whole screen", true],
  ])(
    "a turn of a host goes on when its terminal is closed, and others can answer its question: %s",
    async (_how, full) => {
      using s = scratch();
      await using server = await startModelServer([
        text("First."),
        toolCall("Bash", { command: "touch made.txt" }),
        text("It is made."),
      ]);
      s.useModel(server.baseUrl);
      const host = s.start(["host", "serve", "--foreground"]);
      await host.line((line) => line.startsWith("socket: "));
      await s.run(["-p", "one"]);
      await using first = terminal(s, ["attach"], { full });
      await first.shows("First.");
      await using second = terminal(s, ["attach"]);
      await second.shows("you are terminal-2");
      first.type("two\r");
      for (const each of [first, second]) await each.shows("touch made.txt");
      await second.shows("[y, s, a, e, n] ");
      await first[Symbol.asyncDispose]();
      const client = await hostClient(s.home, "watcher");
      const sessionId = basename(s.logs()[0] ?? "", ".jsonl");
      await eventually(async () => {
        const { present = [] } = await client.request("get_status", { sessionId });
        expect(present.map(({ name }) => name)).toEqual(["terminal-2"]);
      });
      await client.close();
      second.type("y\r");
      await second.shows("It is made.");
      expect(second.screen()).not.toContain("(cancelled)");
      second.type("\u0004");
      expect(await second.code).toBe(0);
      host.child.kill("SIGTERM");
      await host.finished;
    },
  );

  it.each([
    ["line by line", false],
    ["on the whole screen", true],
  ])("waiting for the turn of another terminal is said once: %s", async (_how, full) => {
    using s = scratch();
    const held = gate();
    await using server = await startModelServer([text("First."), [text("Begun."), delayUntil(held.promise)]]);
    s.useModel(server.baseUrl);
    await using first = terminal(s, ["--yes", "one"], { full });
    await first.shows("First.");
    await using second = terminal(s, ["--continue"]);
    await second.shows("you are terminal-2");
    second.type("two\r");
    await second.shows("Begun.");
    first.type("\u0004");
    const said = "scorel: this process still runs a turn in a session that others have joined.";
    await first.shows(said);
    await first.shows("It waits for the end of that turn, and then exits.");
    await first.shows("Ctrl-C cancels the turn and exits now.");
    held.open();
    expect(await first.code).toBe(0);
    expect(first.screen().split(said)).toHaveLength(2);
    second.type("\u0004");
    await second.code;
  });

  it("a turn is finished before a plain conversation is left, which is said", async () => {
    using s = scratch();
    const held = gate();
    await using server = await startModelServer([[text("Begun."), delayUntil(held.promise), text("Ended.")]]);
    s.useModel(server.baseUrl);
    await using t = terminal(s, ["--yes", "go"]);
    await t.shows("Begun.");
    t.type("\u0004");
    await t.shows("(leaving when the turn ends; Ctrl-C cancels the turn)");
    held.open();
    await t.shows("Ended.");
    expect(await t.code).toBe(0);
  });

  it.each([
    ["line by line", false],
    ["on the whole screen", true],
  ])("what runs in the background ends with a session without a host, which is said: %s", async (_how, full) => {
    using s = scratch();
    const background = toolCall("Bash", { command: "sleep 100", background: true });
    await using server = await startModelServer([background, text("It runs.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s, ["--yes", "begin"], { full });
    await t.shows("It runs.");
    t.type("\u0004");
    await t.shows("1 task in the background is running and ends with this terminal. Press Ctrl-D again to leave.");
    t.type("\u0004");
    await t.shows("nded with the session: $ sleep 100");
    expect(await t.code).toBe(0);
  });

  it.each([
    ["line by line", false],
    ["on the whole screen", true],
  ])(
    "what runs in a session that goes on in another terminal ends with this one, which is said: %s",
    async (_how, full) => {
      using s = scratch();
      const background = toolCall("Bash", { command: "sleep 100", background: true });
      await using server = await startModelServer([background, text("It runs.")]);
      s.useModel(server.baseUrl);
      await using first = terminal(s, ["--yes", "begin"], { full });
      await first.shows("It runs.");
      await using second = terminal(s, ["--continue"]);
      await second.shows("you are terminal-2");
      first.type("\u0004");
      await first.shows("ends with this terminal. Press Ctrl-D again to leave.");
      first.type("\u0004");
      await first.shows("nds with this terminal: $ sleep 100");
      expect(await first.code).toBe(0);
      await second.shows("the session continues in yours");
      second.type("\u0004");
      expect(await second.code).toBe(0);
    },
  );
});
