import { once } from "node:events";
import { PassThrough } from "node:stream";
import chatPlugin from "@scorel/chat";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService } from "@scorel/host/contract";
import { createKernel, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import requests from "@scorel/requests";
import { expect, it } from "vitest";
import { testHeader } from "../harness.ts";
import { delayUntil, gate, type Part, startModelServer, text } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

/** People at terminals of one session. Each of the first replies waits until it is released. */
async function people(replies: (index: number) => Part[]) {
  const home = testHome();
  const server = await startModelServer((_request, index) => replies(index));
  const { kernel } = await agentHost(server.baseUrl, { session: [requests] });
  const host = kernel.find("host") as HostService;
  const client: Client = host.connect();
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const codes: (Promise<number> | undefined)[] = [];
  const person = async () => {
    const own = await createKernel({
      entries: [{ plugin: chatPlugin, origin: "test" }],
      store: createMemoryStore(testHeader),
      services: { host, sessionOptions: kernel.find("sessionOptions") as Services["sessionOptions"] },
    });
    const [stdin, terminal] = [new PassThrough(), new PassThrough().setEncoding("utf8")];
    let screen = "";
    let from = 0;
    terminal.on("data", (shown: string) => {
      screen += shown;
    });
    const code = own.find("chat")?.run({
      args: [],
      options: { session: sessionId },
      cwd: home.cwd,
      env: {},
      interrupt: new AbortController().signal,
      stdin: Object.assign(stdin, { isTTY: true }),
      stdout: Object.assign(terminal, { isTTY: true }),
      stderr: terminal,
    } as never as Invocation);
    codes.push(code);
    const shows = async (words: string) => {
      const late = AbortSignal.timeout(15_000);
      while (!screen.includes(words, from)) await once(terminal, "data", { signal: late }).catch(() => fail(words));
      from = screen.indexOf(words, from) + words.length;
    };
    const fail = (words: string) => {
      throw new Error(`It has not shown ${JSON.stringify(words)}:\n${JSON.stringify(screen.slice(from))}`);
    };
    await shows("/help");
    await shows("> ");
    return {
      shows,
      type: (keys: string) => void stdin.write(keys),
      screen: () => screen,
      code,
      end: () => stdin.end(),
    };
  };
  return {
    client,
    sessionId,
    person,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

const CTRL_C = "\u0003";

it("whoever watches a turn can cancel it with Ctrl-C, and leaves with the next one", async () => {
  await using t = await people(() => [text("words "), delayUntil(new Promise(() => {}))]);
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await Promise.all([anna.shows("words"), ben.shows("words")]);
  ben.type(CTRL_C);
  await Promise.all([anna.shows("(cancelled by terminal-2)"), ben.shows("(cancelled)")]);
  expect((await t.client.request("get_status", { sessionId: t.sessionId })).running).toBe(false);
  ben.type(CTRL_C);
  expect(await ben.code).toBe(0);
  anna.type("/exit\r");
  expect(await anna.code).toBe(0);
});

it("Ctrl-C takes back only one's own messages, and those of others are answered", async () => {
  await using t = await people((index) =>
    index === 0 ? [text("words "), delayUntil(new Promise(() => {}))] : [text(`answer ${index}`)],
  );
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await ben.shows("words");
  ben.type("and Ben's\r");
  await ben.shows("(queued:");
  anna.type("and Anna's\r");
  await anna.shows("(queued:");
  anna.type(CTRL_C);
  await anna.shows("(your queued messages were taken back)");
  await Promise.all([anna.shows("(cancelled)"), ben.shows("(cancelled by terminal)")]);
  await Promise.all([anna.shows("answer 1"), ben.shows("answer 1")]);
  await anna.shows("> and Anna's");
  const { messages } = await t.client.request("get_context", { sessionId: t.sessionId });
  const said = messages.flatMap(({ role, content }) => (role === "user" ? String(content) : []));
  expect(said).toEqual(["go", "and Ben's"]);
  anna.type(`${CTRL_C}/exit\r`);
  ben.type("/exit\r");
  expect(await Promise.all([anna.code, ben.code])).toEqual([0, 0]);
});

it("somebody who leaves ends neither the turn of others nor their messages", async () => {
  const finishing = gate();
  await using t = await people((index) =>
    index === 0 ? [text("begun "), delayUntil(finishing.promise), text("finished")] : [text("second")],
  );
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await ben.shows("begun");
  ben.end();
  expect(await ben.code).toBe(0);
  expect(ben.screen()).not.toContain("has left");
  await anna.shows("(terminal-2 has left)");
  finishing.open();
  await anna.shows("finished");
  anna.type("/exit\r");
  expect(await anna.code).toBe(0);
});
