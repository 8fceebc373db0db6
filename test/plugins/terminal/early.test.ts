import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService, SessionStatus } from "@scorel/host/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTerminal } from "../../../plugins/terminal/app/run.ts";
import { config } from "../../../plugins/terminal/config.ts";
import { eventually } from "../../eventually.ts";
import { gate, type ModelServer, startModelServer, text } from "../../model-server.ts";
import { type AgentHost, agentHost } from "../host/agent-host.ts";
import { type TestHome, testHome } from "../host/home.ts";
import { emulator } from "./emulator.ts";

let home: TestHome;
let server: ModelServer;
let host: AgentHost;
const running: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  home = testHome();
  server = await startModelServer(() => text("Done."));
  host = await agentHost(server.baseUrl);
});
afterEach(async () => {
  for (const end of running.splice(0)) await end();
  await host[Symbol.asyncDispose]();
  await server.close();
  home[Symbol.dispose]();
});

interface Starting {
  type(text: string): void;
  screen(): string;
  shows(wanted: string): Promise<void>;
  /** Lets the opening of the session finish. */
  open(): void;
  /** Ends the application as a signal does, and resolves with its exit code. */
  leave(): Promise<number | undefined>;
  code: Promise<number | undefined>;
}

/** Starts the application. Its session is opened when the test calls `open`. */
function starting(opening: (client: Client) => Promise<SessionStatus>, prompt?: string): Starting {
  const client = (host.kernel.find("host") as HostService).connect({ clientId: `t${running.length}` });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 24 });
  const screen = emulator(100, 24);
  stdout.setEncoding("utf8").on("data", (chunk: string) => void screen.write(chunk));
  const control = new AbortController();
  const opened = gate();
  const invocation = {
    ...{ args: [], options: {}, cwd: home.cwd, env: { TERM: "xterm" }, stderr: new PassThrough() },
    ...{ stdin, stdout, interrupt: control.signal },
  } as unknown as Invocation;
  const start = { invocation, client, prompt, open: () => opened.promise.then(() => opening(client)) };
  const code = runTerminal({ config: config.parse({}), find: () => undefined } as never, start);
  const leave = async () => {
    control.abort();
    return code.catch(() => undefined);
  };
  running.push(leave);
  return {
    type: (typed) => void stdin.write(typed),
    screen: () => screen.text(),
    shows: (wanted) => eventually(() => expect(screen.text()).toContain(wanted)),
    open: () => opened.open(),
    leave,
    code,
  };
}

const created = (client: Client) => client.request("create_session", { cwd: home.cwd });
const asked = () =>
  server.requests.map(({ body }) => body.messages.findLast(({ role }: { role: string }) => role === "user").content);
/** The texts of the saved drafts. */
function drafts(): string[] {
  const folder = join(home.home, ".scorel", "drafts");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).text as string).sort();
}

/** Shown after Enter: the text waits to be sent, and the field is empty. */
const isHeld = "What you have entered will be sent as soon as it is open.";

describe("text that is typed while the session is being opened", () => {
  it.each([
    ["before the first picture", async (t: Starting) => t.type("hello\r")],
    [
      "before the first picture, when the terminal makes a line feed of Enter",
      async (t: Starting) => t.type("hello\n"),
    ],
    [
      "when the field is there",
      async (t: Starting) => {
        t.type("hel");
        await t.shows("> hel");
        t.type("lo");
        t.type("\r");
      },
    ],
  ])("is sent once it is open: %s", async (_when, type) => {
    const t = starting(created);
    await type(t);
    await t.shows(isHeld);
    expect([asked(), t.screen().includes("> hello")]).toEqual([[], false]);
    t.open();
    await t.shows("Done.");
    expect([asked(), drafts(), t.screen().includes(isHeld)]).toEqual([["hello"], [], false]);
    t.type("more\r");
    await eventually(() => expect(asked()).toEqual(["hello", "more"]));
  });

  it("stays in the field without Enter, and is sent when Enter comes as the session opens", async () => {
    const t = starting(created);
    t.type("hello");
    await t.shows("> hello");
    t.open();
    t.type("\r");
    await t.shows("Done.");
    expect([asked(), drafts()]).toEqual([["hello"], []]);
  });

  it("is processed in order, after the prompt of the command line", async () => {
    const t = starting(created, "first");
    t.type("second\r");
    await t.shows(isHeld);
    t.type("third");
    await t.shows("> third");
    t.type("\r");
    await eventually(() => expect(t.screen()).not.toContain("> third"));
    t.type("rest");
    await t.shows("> rest");
    t.open();
    await eventually(() => expect(asked()).toEqual(["first", "second", "third"]));
    await eventually(() => expect(drafts()).toEqual(["rest"]));
    expect(t.screen()).toContain("> rest");
  });

  it("waits as a draft for the next terminal when the session cannot be opened, and no command of it runs", async () => {
    const t = starting(async () => {
      throw new Error("no session");
    });
    t.type("hello\r");
    await t.shows(isHeld);
    t.type("/");
    t.type("name x");
    await t.shows("/name x");
    t.type("\r");
    await eventually(() => expect(t.screen()).not.toContain("/name x"));
    t.type("rest");
    await t.shows("> rest");
    t.open();
    await expect(t.code).rejects.toThrow("no session");
    expect(drafts()).toEqual(["hello\n\n/name x\n\nrest"]);
    const next = starting(created);
    next.open();
    await next.shows("> hello");
    expect(asked()).toEqual([]);
  });
});

describe("drafts of terminals in one project", () => {
  it("are restored only when their terminal has ended, and are not replaced by early typed text", async () => {
    const first = starting(created);
    first.type("of the first");
    first.open();
    await eventually(() => expect(drafts()).toEqual(["of the first"]));
    const second = starting(created);
    second.open();
    await second.shows("Type a message");
    second.type("of the second");
    await eventually(() => expect(drafts()).toEqual(["of the first", "of the second"]));
    await second.leave();
    const early = starting(created);
    early.type("typed early");
    await early.shows("> typed early");
    early.open();
    await eventually(() => expect(drafts()).toEqual(["of the first", "of the second", "typed early"]));
    const next = starting(created);
    next.open();
    await next.shows("> of the second");
  });

  it("do not stay behind for others when a terminal shows another session", async () => {
    const t = starting(created);
    t.type("hello\r");
    await t.shows(isHeld);
    t.type("still writing");
    await t.shows("> still writing");
    t.open();
    await t.shows("Done.");
    await eventually(() => expect(drafts()).toEqual(["still writing"]));
    const other = starting(created);
    other.open();
    await other.shows("Type a message");
    other.type("x");
    await other.shows("> x");
    expect(drafts()).toEqual(["still writing", "x"]);
  });
});
