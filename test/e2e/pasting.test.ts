import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type Terminal, terminal } from "./pty.ts";
import { scratch, writersIn } from "./scorel.ts";

const ON = "\u001b[?2004h";
const OFF = "\u001b[?2004l";
const pasted = (words: string) => `\u001b[200~${words}\u001b[201~`;

/** Whether bracketed paste is enabled after everything that was sent to the terminal. */
const isMarking = (t: Terminal) => t.raw().lastIndexOf(ON) > t.raw().lastIndexOf(OFF);

describeWith("script", "text that is pasted into a conversation", () => {
  it("is one message, however many lines it has, and no command", async () => {
    using s = scratch();
    await using server = await startModelServer([text("I see.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s);
    await t.shows("> ");
    expect(isMarking(t)).toBe(true);
    t.type(pasted("/permission full\nrm -rf ~\nend"));
    await t.shows("[pasted 1: 3 lines]");
    t.type("\r");
    await t.shows("I see.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(isMarking(t)).toBe(false);
    expect(server.requests[0]?.text).toContain("/permission full\\nrm -rf ~\\nend");
    expect(t.screen()).not.toContain("Permission mode");
  });

  it("runs nothing in a terminal that does not mark pastes, and keeps the last line, which has no end", async () => {
    using s = scratch();
    await using server = await startModelServer([text("I see.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("!touch one\r/permission full\r!touch two\rthe last line");
    await t.shows("[pasted 1: 4 lines]");
    t.type("\r");
    await t.shows("I see.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(server.requests[0]?.text).toContain("!touch one\\n/permission full\\n!touch two\\nthe last line");
    expect(t.screen()).not.toContain("Permission mode");
    expect(readdirSync(s.project)).toEqual([]);
  });

  it.each([
    ["Ctrl-D", (t: Terminal) => t.type("\u0004")],
    ["Ctrl-C", (t: Terminal) => t.type("\u0003")],
    ["SIGTERM", (_: Terminal, pid: number) => void process.kill(pid, "SIGTERM")],
  ])("is not marked any more after %s", async (_how, end) => {
    using s = scratch();
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("hi\r");
    await t.shows("Hello.");
    await t.shows("> ");
    end(t, writersIn(s)[0] as number);
    await t.code;
    expect(isMarking(t)).toBe(false);
  });

  it("is marked again after Ctrl-Z and `fg`", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    await using t = terminal(s, [], { jobs: true });
    await t.shows("> ");
    t.type("\u001a");
    await t.shows("[stopped 148]");
    expect(isMarking(t)).toBe(false);
    t.type("\r");
    await t.shows("> ");
    t.type(pasted("one\ntwo"));
    await t.shows("[pasted 1: 2 lines]");
    expect(isMarking(t)).toBe(true);
    t.type("\r");
    await t.shows("Hello.");
    t.type("\u0004");
    expect(await t.code).toBe(0);
  });
});
