import { PassThrough } from "node:stream";
import chatPlugin from "@scorel/chat";
import type { Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { createKernel, definePlugin, type PluginContext, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import requests from "@scorel/requests";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { testHeader } from "../harness.ts";
import { testGateway } from "./gateway/home.ts";
import { assistant, echoAgent } from "./host/home.ts";

type AnySession = any;

/**
 * A person at a terminal, whose session is in another process. `session` is that session, in which the test emits the
 * events of turns.
 */
async function conversation() {
  const contexts = new Map<string, PluginContext>();
  const scribe = definePlugin({
    id: "scribe",
    name: "Scribe",
    version: "1.0.0",
    activate: (ctx: PluginContext) => void contexts.set(ctx.session.id, ctx),
  } as never);
  const t = await testGateway({ plugins: [echoAgent, requests, scribe] });
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  const client = await t.connect({ name: "terminal" });
  const host = { connect: () => client } as unknown as HostService;
  const own = await createKernel({
    entries: [{ plugin: chatPlugin, origin: "test" }],
    store: createMemoryStore(testHeader),
    services: { host, sessionOptions: t.kernel.find("sessionOptions") as Services["sessionOptions"] },
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough().setEncoding("utf8")];
  let screen = "";
  stdout.on("data", (shown: string) => {
    screen += shown;
  });
  const code = own.find("chat")?.run({
    ...{ args: [], options: { session: sessionId }, cwd: t.home.cwd, env: {}, stderr: stdout, stdout },
    interrupt: new AbortController().signal,
    stdin: Object.assign(stdin, { isTTY: true }),
  } as never as Invocation);
  const now = () => contexts.get(sessionId)?.session as AnySession;
  return {
    ...t,
    code,
    sessionId,
    session: now,
    begin: (eventId: string) => {
      const session = now();
      session.emit("runtime_start", {});
      session.emit("message_start", { eventId, parentId: session.activeLeaf, role: "assistant", model: "a/b" });
    },
    say: (eventId: string, delta: string) => now().emit("text_delta", { eventId, delta }),
    finish: async (id: string, text: string) => {
      await now().append("message", { message: { ...assistant, content: [{ type: "text", text }] } }, { id });
      now().emit("runtime_end", { reason: "completed" });
    },
    call: (eventId: string) =>
      now().emit("tool_execution_start", {
        ...{ eventId, parentId: now().activeLeaf, toolCallId: eventId, toolName: "Look", args: {} },
      }),
    user: (content: string) => now().append("message", { message: { role: "user", content, timestamp: 1 } }),
    type: (line: string) => void stdin.write(`${line}\n`),
    /** Forgets all clients, and waits for what happens in the session until they are back. */
    restartAnew: async (meanwhile: () => Promise<unknown>) => {
      const restarted = t.restart();
      await meanwhile();
      await restarted;
    },
    /** Opens the session for another client while a restart ends the connection of its only one. */
    openWhileRestarted: async () => {
      await t.client.request("close_session", { sessionId });
      const restarted = t.restart();
      await t.client.request("load_session", { sessionId });
      return { restarted };
    },
    shows: (text: string) => eventually(() => expect(screen).toContain(text)),
    /** The screen's text without prompts. */
    text: () => screen.replace(/^(?: *> )+/gm, ""),
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await code;
      await own.stop();
      await t[Symbol.asyncDispose]();
    },
  };
}

const ids = ["reply0000000001", "reply0000000002", "call00000000001"] as const;

it("words that arrive while the connection is lost are shown once, in their place", async () => {
  await using t = await conversation();
  await t.shows("/help");
  await t.user("question");
  await t.shows("> question");
  t.begin(ids[0]);
  t.say(ids[0], "one, ");
  await t.shows("one, ");
  t.cut();
  t.say(ids[0], "two, ");
  await t.shows("one, two, ");
  await t.restart(() => t.say(ids[0], "three, "));
  await t.shows("one, two, three, ");
  t.cut();
  t.say(ids[0], "four");
  await t.finish(ids[0], "one, two, three, four");
  await t.user("next");
  await t.shows("next");
  expect(t.text().split("\n").slice(1, 4)).toEqual(["question", "one, two, three, four", "next"]);
});

it("a reply that a lost host had begun is completed from the log of the next host, with later events", async () => {
  await using t = await conversation();
  await t.shows("/help");
  await t.user("question");
  t.begin(ids[0]);
  t.say(ids[0], "half of ");
  t.call(ids[2]);
  await t.shows("· Look");
  await t.restartAnew(async () => {
    t.call(ids[2]);
    await t.finish(ids[0], "half of it");
    await t.user("others");
    t.begin(ids[1]);
    t.say(ids[1], "now this");
  });
  await t.shows("now this");
  t.say(ids[1], " and that");
  await t.finish(ids[1], "now this and that");
  await t.user("end");
  await t.shows("end");
  const lines = t.text().split("\n").slice(1);
  const wanted = ["question", "half of ", "· Look", "it", "others", "now this and that", "end"];
  expect(lines.filter((line) => wanted.includes(line))).toEqual(wanted);
  expect(t.text().match(/half of|now this|· Look/g)).toEqual(["half of", "· Look", "now this"]);
});

it("a session that another client opens while the host is restarted stays open", async () => {
  await using t = await conversation();
  await t.shows("/help");
  await t.user("question");
  t.begin(ids[0]);
  t.say(ids[0], "half of ");
  t.call(ids[2]);
  await t.shows("· Look");
  const { restarted } = await t.openWhileRestarted();
  await t.user("others");
  t.begin(ids[1]);
  t.say(ids[1], "now this");
  await restarted;
  await t.shows("now this");
});
