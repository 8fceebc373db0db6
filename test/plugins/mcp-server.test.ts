import artifacts from "@scorel/artifacts";
import type { ArtifactsService } from "@scorel/artifacts/contract";
import blobs from "@scorel/blobs";
import history from "@scorel/history";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import { describe, expect, it } from "vitest";
import { readArtifact } from "../../plugins/mcp-server/artifact.ts";
import { Tasks } from "../../plugins/mcp-server/tasks.ts";
import { toolsFor } from "../../plugins/mcp-server/tools.ts";
import { hang, startModelServer, status, text, toolCall } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { ask, echoAgent, testHome, testHost } from "./host/home.ts";
import { opener } from "./host/opener.ts";

/** A clock whose delayed work runs when the test calls `pass`. */
function handTime() {
  const pending: { ms: number; work: () => void }[] = [];
  return {
    pending,
    after: (ms: number, work: () => void) => {
      const entry = { ms, work };
      pending.push(entry);
      return () => void pending.splice(pending.indexOf(entry), pending.includes(entry) ? 1 : 0);
    },
    /** Runs the work that is due after this many milliseconds. */
    async pass(ms: number) {
      await expect.poll(() => pending.map((entry) => entry.ms)).toContain(ms);
      const [entry] = pending.splice(
        pending.findIndex((each) => each.ms === ms),
        1,
      );
      entry?.work();
    },
  };
}

it("a task that runs longer than a call waits is reported with its messages so far, and the wait sends progress", async () => {
  using home = testHome();
  await using model = await startModelServer([
    [text("I look first."), toolCall("Look", {})],
    [text("Half"), hang()],
  ]);
  await using host = await agentHost(model.baseUrlFor("openai-completions"), { session: [requests] });
  const time = handTime();
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: false, log: () => {}, after: time.after });
  const { session } = await tasks.start("go", {});
  await expect.poll(() => model.requests.length).toBe(2);
  const told: string[] = [];
  const tell = async (message: string) => void told.push(message);
  const { signal } = new AbortController();
  const state = tasks.follow(session, 45_000, { signal, tell });
  await time.pass(10_000);
  await time.pass(10_000);
  await time.pass(45_000);
  expect(await state).toEqual({
    session,
    state: "running",
    text: "I look first.",
    hint: "The task is still running. Call follow_task again to keep waiting, or cancel_task to end it.",
  });
  expect(told).toEqual(["still running after 10 s", "still running after 20 s"]);
  expect(time.pending).toEqual([]);
  const failing = tasks.follow(session, 45_000, { signal, tell: () => Promise.reject(new Error("nobody reads")) });
  await Promise.all([expect(failing).rejects.toThrow("nobody reads"), time.pass(10_000)]);
  await tasks.end();
});

it("read_session returns as many messages as were asked for, although thousands of other events are between them", async () => {
  using home = testHome();
  const filler = definePlugin({
    id: "filler",
    name: "Filler",
    version: "1.0.0",
    onEvent({ type }, { session }) {
      if (type === "message")
        for (let at = 0; at < 700; at++) void session.append("custom", { kind: "filler", data: at });
    },
  });
  await using host = await testHost([echoAgent, filler]);
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: false, log: () => {} });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  for (const content of ["one", "two", "three"]) await ask(client, sessionId, content);
  const tool = toolsFor(tasks, new Set(["view"])).find(({ name }) => name === "read_session");
  const { signal } = new AbortController();
  const read = (messages: number) =>
    tool?.run({ session: sessionId, messages } as never, { signal, tell: async () => {} });
  const all = ["[user]\none", "[assistant]\necho: one", "[user]\ntwo", "[assistant]\necho: two"];
  const last = ["[user]\nthree", "[assistant]\necho: three"];
  expect(await read(3)).toBe(["[assistant]\necho: two", ...last].join("\n\n"));
  expect(await read(100)).toBe([...all, ...last].join("\n\n"));
});

it("read_session returns no messages that were undone", async () => {
  using home = testHome();
  await using host = await testHost([echoAgent, history]);
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: false, log: () => {} });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  await ask(client, sessionId, "one");
  const { leafId } = await client.request("get_status", { sessionId });
  await ask(client, sessionId, "two");
  await client.request("rewind", { sessionId, targetEventId: leafId });
  const tool = toolsFor(tasks, new Set(["view"])).find(({ name }) => name === "read_session");
  const { signal } = new AbortController();
  const read = () => tool?.run({ session: sessionId, messages: 100 } as never, { signal, tell: async () => {} });
  const one = "[user]\none\n\n[assistant]\necho: one";
  expect(await read()).toBe(one);
  await ask(client, sessionId, "three");
  expect(await read()).toBe(`${one}\n\n[user]\nthree\n\n[assistant]\necho: three`);
});

it("read_session tells that a turn failed, and why", async () => {
  using home = testHome();
  await using model = await startModelServer([[status(400, { error: { message: "no such model" } })]]);
  await using host = await agentHost(model.baseUrlFor("openai-completions"), { session: [requests] });
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: false, log: () => {} });
  const { signal } = new AbortController();
  const call = { signal, tell: async () => {} };
  const { session } = await tasks.start("go", {});
  await tasks.follow(session, 45_000, call).catch(() => {});
  const tool = toolsFor(tasks, new Set(["view"])).find(({ name }) => name === "read_session");
  const read = await tool?.run({ session, messages: 100 } as never, call);
  expect(read).toMatch(/^\[user\]\ngo\n\n(.*\n\n)?\[turn failed\]\n.*no such model/s);
  await tasks.end();
});

describe("read_artifact", () => {
  /** Reads an artifact with these bytes, or a part of it, as another agent gets it. */
  async function reading(bytes: Buffer, mimeType = "text/csv") {
    const client = {
      request: async (_operation: string, { offset, length }: { offset: number; length: number }) => {
        const base64 = bytes.subarray(offset, offset + length).toString("base64");
        return { base64, mimeType, version: 0, size: bytes.length };
      },
    };
    return async (part: { offset: number; length?: number }) =>
      readArtifact(client as never, "s", { name: "a", ...part }) as Promise<{ text?: string; base64?: string }>;
  }

  it("returns the latest version with its size, and none without its end", async () => {
    using home = testHome();
    await using host = await testHost([], [], [blobs, artifacts, opener]);
    const { client } = host;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    const { kernel } = await client.request("kernel_of", { sessionId });
    const own = (host.kernel.find("artifacts") as ArtifactsService).of(kernel.session);
    const save = (content: string) => own.save({ name: "a", content: Buffer.from(content), mimeType: "text/plain" });
    const read = () => readArtifact(client, sessionId, { name: "a", offset: 0 });
    for (const content of ["one", "second"]) await save(content);
    const second = { name: "a", version: 1, mimeType: "text/plain", size: 6, text: "second" };
    expect(await read()).toEqual(second);
    await save("x".repeat(2 * 1024 * 1024));
    await expect(read()).rejects.toThrow('The artifact "a" has 2097152 bytes. Read it in parts');
  });

  it("returns a text exactly, and parts that together are the text wherever it is divided", async () => {
    const text = "\ufeffname,größe\r\n😀,1\u202e\r\n";
    const bytes = Buffer.from(text);
    const read = await reading(bytes);
    expect(await read({ offset: 0 })).toEqual({
      name: "a",
      version: 0,
      mimeType: "text/csv",
      size: bytes.length,
      text,
    });
    for (let length = 1; length <= bytes.length; length++) {
      const parts: unknown[] = [];
      for (let offset = 0; offset < bytes.length; offset += length) parts.push((await read({ offset, length })).text);
      expect(parts.join("")).toBe(text);
    }
  });

  it.each([
    ["is not UTF-8", Buffer.from("gr\xf6\xdfe, gro\xdf", "latin1")],
    ["has control characters that a terminal would obey", Buffer.from("a\u001b[2Jb")],
  ])("returns the exact bytes in base64 if a text %s", async (_, bytes) => {
    const read = await reading(bytes);
    const { base64, text } = await read({ offset: 1, length: bytes.length });
    expect([text, Buffer.from(base64 ?? "", "base64")]).toEqual([undefined, bytes.subarray(1)]);
  });
});

it("a session that a person has reloaded still asks the agent its questions", async () => {
  using home = testHome();
  await using model = await startModelServer([text("one"), text("two")]);
  const held: { attended: boolean }[] = [];
  const asker = definePlugin({
    id: "asker",
    name: "Asker",
    version: "1.0.0",
    activate: (ctx) => void held.push(ctx.ui),
  });
  await using host = await agentHost(model.baseUrlFor("openai-completions"), { session: [requests, asker] });
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: true, log: () => {} });
  const call = { signal: new AbortController().signal, tell: async () => {} };
  const { session } = await tasks.start("go", {});
  expect(await tasks.follow(session, 45_000, call)).toMatchObject({ state: "completed" });
  await client.request("reload_session", { sessionId: session });
  await tasks.start("go on", { session });
  expect(await tasks.follow(session, 45_000, call)).toMatchObject({ state: "completed" });
  expect(held.map(({ attended }) => attended)).toEqual([false, true]);
});
