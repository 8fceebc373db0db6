import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService, KnownSessionOptions, Operation } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type { UserMessage } from "@scorel/messages/contract";
import { expect, it, vi } from "vitest";
import { run } from "../../plugins/print/turn.ts";
import { gate } from "../model-server.ts";
import { assistant, echoAgent, testHome, testHost } from "./host/home.ts";

const sessionOptions: KnownSessionOptions = { known: () => [] } as never;

/** Runs `scorel -p hi` at a host. */
function print(host: HostService, cwd: string, more: Partial<Invocation>) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const interrupt = new AbortController().signal;
  const invocation = { args: [], cwd, env: {}, stdin: { isTTY: true }, stdout, stderr, interrupt, ...more } as unknown;
  const around = { tell: () => undefined, comeBack: (id: string) => `scorel --session ${id}` };
  const code = run(host, sessionOptions, invocation as Invocation, around).finally(() => {
    stdout.end();
    stderr.end();
  });
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** An agent whose turn begins with `begun` and completes when the test lets it. A cancel ends it early. */
function slowAgent() {
  const [begun, finished] = [gate(), gate()];
  const cancels: unknown[] = [];
  const agent = definePlugin({
    ...echoAgent,
    activate(ctx) {
      const send = async (content: UserMessage["content"]) => {
        const { id } = await ctx.session.append("message", { message: { role: "user", content, timestamp: 1 } });
        begun.open();
        const ended = { text: "all done", stopReason: "stop", usage: assistant.usage, durationMs: 1, leafId: id };
        const turn = finished.promise.then(() => ({ reason: "completed" as const, ...ended }));
        return { status: "started" as const, id, turn };
      };
      const cancel = async () => void cancels.push("cancelled");
      ctx.provide("agent", { send, cancel, running: false } as never);
    },
  });
  return { agent, begun: begun.promise, finish: finished.open, cancels };
}

const kept = "The answer so far is kept in the session; a turn that is still running there continues.";

it.each([
  { what: "whose output was closed is waited for", reason: { code: "OUTPUT_CLOSED" }, ends: { code: 0, cancels: 0 } },
  {
    what: "that Ctrl-C does not end is left after 10 seconds",
    reason: undefined,
    ends: { code: `Left because the host did not end the turn within 10 seconds. ${kept}`, cancels: 1 },
  },
])("a turn $what", async ({ reason, ends }) => {
  using home = testHome();
  const { agent, begun, finish, cancels } = slowAgent();
  await using t = await testHost([agent]);
  const interrupt = new AbortController();
  const { code } = print(t.host, home.cwd, { options: { print: "hi" }, interrupt: interrupt.signal });
  const ended = code.catch(({ message }) => message);
  await begun;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  interrupt.abort(reason);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  finish();
  expect({ code: await ended, cancels: cancels.length }).toEqual(ends);
});

it.each(["get_status", "close_session"] satisfies Operation[])(
  "--output json prints one object, also if %s fails after the turn",
  async (failing) => {
    using home = testHome();
    await using t = await testHost();
    const connect: HostService["connect"] = (options) => {
      const client = t.host.connect(options);
      const request: Client["request"] = async (operation, params) => {
        if (operation === failing) throw new Error("the disk is full");
        return client.request(operation, params);
      };
      return Object.create(client, { request: { value: request } });
    };
    const printed = print({ ...t.host, connect }, home.cwd, { options: { print: "hi", output: "json" } });
    await expect(printed.code).rejects.toThrow("the disk is full");
    const lines = (await printed.stdout).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(["echo: hi"]);
  },
);

it("--timeout also ends a slash command", async () => {
  using home = testHome();
  const untilCancelled = (_args: string, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const slow = definePlugin({
    ...{ id: "slow", name: "Slow", version: "1.0.0" },
    commands: () => ({ slow: { summary: "Never ends", run: untilCancelled } }),
  });
  await using t = await testHost([echoAgent, slow]);
  const printed = print(t.host, home.cwd, { options: { print: "/slow", output: "json", timeout: "0.05" } });
  expect(await printed.code).toBe(3);
  expect(JSON.parse(await printed.stdout)).toMatchObject({ stopReason: "aborted", error: { code: "PRINT_TIMEOUT" } });
});

it.each([
  ["two prompts", { args: ["there"] }, "PRINT_TWO_PROMPTS"],
  ["an option of conversations", { options: { print: "hi", output: "json", watch: true } }, "PRINT_CHAT_ONLY"],
])("--output json prints one object, also for %s", async (_, more, code) => {
  using home = testHome();
  await using t = await testHost();
  const printed = print(t.host, home.cwd, { options: { print: "hi", output: "json" }, ...more });
  await expect(printed.code).rejects.toMatchObject({ code });
  expect(JSON.parse(await printed.stdout)).toMatchObject({ sessionId: null, error: { code } });
});
