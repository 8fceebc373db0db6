import type {} from "@scorel/commands/contract";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { z } from "zod";
import { echoAgent, testHome, testHost } from "../host/home.ts";

type Run = (args: string, context: { signal: AbortSignal }) => unknown;

/** A session with the commands `/hang`, which runs `run`, and `/works`. `begun` resolves when `/hang` runs; `ctx` is their plugin's. */
async function opened(run: Run) {
  const home = testHome();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const hang: Run = (...given) => {
    begin();
    return run(...given);
  };
  let ctx: BaseContext | undefined;
  const plugin = definePlugin({
    ...{ id: "hanging", name: "Hanging", version: "1.0.0" },
    activate(given) {
      ctx = given;
    },
    commands: () => ({ hang, works: () => "it works" }) as never,
  });
  const t = await testHost([echoAgent, plugin]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  return {
    ...t,
    begun,
    ctx: ctx as BaseContext | undefined,
    sessionId,
    run: (name: string, client = t.client) => client.request("run_command", { sessionId, name, args: "" }),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const cancelled = { code: "COMMAND_CANCELLED", message: '/hang of plugin "hanging" was cancelled.' };

it("a command that never settles is cancelled by its client, which can run others", async () => {
  let signal: AbortSignal | undefined;
  await using s = await opened((_args, context) => {
    signal = context.signal;
    return new Promise(() => {});
  });
  const hanging = s.run("hang");
  await s.begun;
  expect(await s.client.request("cancel_commands", { sessionId: s.sessionId })).toEqual({ cancelled: ["hang"] });
  await expect(hanging).rejects.toMatchObject(cancelled);
  expect(signal?.aborted).toBe(true);
  expect(await s.run("works")).toEqual({ output: "it works" });
  expect(await s.client.request("cancel_commands", { sessionId: s.sessionId })).toEqual({ cancelled: [] });
});

it("a command that is cancelled before its code is loaded does not run", async () => {
  let runs = 0;
  await using s = await opened(() => {
    runs++;
    return "done";
  });
  const hanging = s.run("hang");
  expect(await s.client.request("cancel_commands", { sessionId: s.sessionId })).toEqual({ cancelled: ["hang"] });
  await expect(hanging).rejects.toMatchObject(cancelled);
  expect(runs).toBe(0);
});

it("a command is cancelled although its plugin has added an operation meanwhile", async () => {
  await using s = await opened(() => new Promise(() => {}));
  const hanging = s.run("hang");
  await s.begun;
  s.ctx?.contribute("operations", { added: { params: () => z.strictObject({}), run: async () => ({}) } } as never);
  expect(await s.client.request("cancel_commands", { sessionId: s.sessionId })).toEqual({ cancelled: ["hang"] });
  await expect(hanging).rejects.toMatchObject(cancelled);
});

it("a command that ends when its signal aborts keeps its result", async () => {
  await using s = await opened(
    (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("half of it"))),
  );
  const hanging = s.run("hang");
  await s.begun;
  await s.client.request("cancel_commands", { sessionId: s.sessionId });
  expect(await hanging).toEqual({ output: "half of it" });
});

it("a command that rejects because it was cancelled is not reported as a failure", async () => {
  await using s = await opened(
    (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  const hanging = s.run("hang");
  await s.begun;
  await s.client.request("cancel_commands", { sessionId: s.sessionId });
  await expect(hanging).rejects.toMatchObject(cancelled);
  const { notices } = await s.client.request("get_status", { sessionId: s.sessionId });
  expect(notices).toEqual([]);
});

it("a client cannot cancel the command of another, and one that leaves cancels its own", async () => {
  await using s = await opened(() => new Promise(() => {}));
  const other = s.host.connect({});
  const hanging = s.run("hang", other);
  await s.begun;
  expect(await s.client.request("cancel_commands", { sessionId: s.sessionId })).toEqual({ cancelled: [] });
  const refused = expect(hanging).rejects.toMatchObject(cancelled);
  await other.close();
  await refused;
});
