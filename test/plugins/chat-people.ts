import { once } from "node:events";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import chatPlugin from "@scorel/chat";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService } from "@scorel/host/contract";
import { type AnyPlugin, createKernel, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import requests from "@scorel/requests";
import { testHeader } from "../harness.ts";
import { type Part, startModelServer } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

/**
 * Starts a session in which several people can chat. The model replies with these parts. `plugins` are added to the
 * session.
 */
export async function people(replies: (index: number) => Part[], plugins: AnyPlugin[] = []) {
  const home = testHome();
  const server = await startModelServer((_request, index) => replies(index));
  const { kernel } = await agentHost(server.baseUrl, { session: [requests, ...plugins] });
  const host = kernel.find("host") as HostService;
  const client: Client = host.connect();
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const codes: (Promise<number> | undefined)[] = [];
  /**
   * Joins the session as another person. `until` is the text that the screen shows when this is done; `over` wraps the
   * person's client.
   */
  const person = async (until = "\u001b[0J> ", over = (own: Client) => own) => {
    const own = await createKernel({
      entries: [{ plugin: chatPlugin, origin: "test" }],
      store: createMemoryStore(testHeader),
      services: {
        host: { connect: (options: object) => over(host.connect(options)) } as HostService,
        sessionOptions: kernel.find("sessionOptions") as Services["sessionOptions"],
      },
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
      const late = AbortSignal.timeout(50_000);
      while (!screen.includes(words, from)) await once(terminal, "data", { signal: late }).catch(() => fail(words));
      from = screen.indexOf(words, from) + words.length;
    };
    const fail = (words: string) => {
      throw new Error(`It has not shown ${JSON.stringify(words)}:\n${JSON.stringify(screen.slice(from))}`);
    };
    await shows("/help");
    await shows(until);
    return {
      shows,
      type: (keys: string) => void stdin.write(keys),
      screen: () => screen,
      /** The lines of the screen. */
      lines: () => stripVTControlCharacters(screen).split("\n"),
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
