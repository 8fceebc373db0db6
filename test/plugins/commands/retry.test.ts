import history from "@scorel/history";
import type { Client } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { gate } from "../../model-server.ts";
import { ask, echoAgent, testHome, testHost } from "../host/home.ts";

const diskFull = Object.assign(new Error("No space is left"), { code: "DISK_FULL" });

/** An agent that echoes messages, after `delay` has resolved. It fails if that rejects. */
function agentAfter(delay: () => Promise<void>) {
  return definePlugin({
    ...echoAgent,
    activate(ctx) {
      const provide = (name: "agent", agent: any) =>
        ctx.provide(name, {
          ...agent,
          send: async (...given: unknown[]) => {
            await delay();
            return agent.send(...given);
          },
        });
      return echoAgent.activate?.({ ...ctx, provide } as never);
    },
  });
}

async function opened(delay: () => Promise<void>) {
  const home = testHome();
  const t = await testHost([agentAfter(delay)], [], [history]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  return {
    sessionId,
    client: t.client,
    connect: t.host.connect,
    retry: (client: Client = t.client) => client.request("run_command", { sessionId, name: "retry", args: "" }),
    messages: async () => {
      const { rows } = await t.client.request("get_tree", { sessionId, show: "path" });
      return rows.map(({ text }) => text);
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

it("/retry leaves the conversation as it was if the message cannot be sent", async () => {
  let fails = false;
  await using s = await opened(async () => {
    if (fails) throw diskFull;
  });
  await ask(s.client, s.sessionId, "one");
  await ask(s.client, s.sessionId, "two");
  fails = true;
  await expect(s.retry()).rejects.toMatchObject({ message: "No space is left" });
  expect(await s.messages()).toEqual(["one", "echo: one", "two", "echo: two"]);
});

it("/retry names /redo if the message cannot be sent and the client may not put it back", async () => {
  let fails = false;
  await using s = await opened(async () => {
    if (fails) throw diskFull;
  });
  await ask(s.client, s.sessionId, "one");
  fails = true;
  const operations = ["read", "run_command", "undo", "send_message"];
  const limited = s.connect({ clientId: "limited", scope: { operations } });
  const message = expect.stringMatching(/could not send it again \(No space is left\).* \/redo puts it back/);
  await expect(s.retry(limited)).rejects.toMatchObject({ code: "COMMAND_RETRY", message });
  fails = false;
  await s.client.request("redo", { sessionId: s.sessionId });
  expect(await s.messages()).toEqual(["one", "echo: one"]);
});

it("two clients that use /retry at once undo one message", async () => {
  const [reached, sending] = [gate(), gate()];
  let waits = false;
  await using s = await opened(async () => {
    if (!waits) return;
    reached.open();
    await sending.promise;
  });
  await ask(s.client, s.sessionId, "one");
  await ask(s.client, s.sessionId, "two");
  waits = true;
  const first = s.retry();
  await reached.promise;
  const second = s.retry(s.connect({ clientId: "other" }));
  sending.open();
  await first;
  await expect(second).rejects.toMatchObject({ code: "HISTORY_CONFLICT" });
  expect(await s.messages()).toEqual(["one", "echo: one", "two", "echo: two"]);
});
