import type { Operations } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { z } from "zod";
import { contained } from "../../harness.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

/** Operations that do not declare what happens when they are repeated, and that count their runs. */
function noter() {
  const runs: string[] = [];
  const params = () => z.strictObject({ sessionId: z.string(), text: z.string(), messageId: z.string().optional() });
  const run = ({ text }: { text: string }) => {
    runs.push(text);
    if (text === "broken") throw new Error("it cannot be noted");
    return { text };
  };
  const result = z.strictObject({ text: z.string() });
  const operations = {
    note: { summary: "Notes a text.", params, run, result },
    read_note: { summary: "Reads a text.", readOnly: true as const, params, run, result },
  };
  const plugin = definePlugin({ id: "noter", name: "Noter", version: "1.0.0", operations: () => operations as never });
  return { plugin, runs };
}

type Request = (operation: keyof Operations, params: object) => Promise<unknown>;

it.each([false, true])(
  "are refused for another body, for every operation that changes something (extension: %s)",
  async (isContained) => {
    using home = testHome();
    const { plugin, runs } = noter();
    await using t = await testHost([echoAgent, isContained ? contained(plugin) : plugin]);
    const request = t.client.request as Request;
    const [one, two] = await Promise.all([1, 2].map(() => t.client.request("create_session", { cwd: home.cwd })));
    const note = (text: string, sessionId = one?.sessionId, operation = "note") =>
      request(operation as never, { sessionId, text, messageId: "m1" });
    await note("first");
    await note("first");
    await expect(note("second")).rejects.toMatchObject({
      code: "MESSAGE_ID_REUSED",
      data: { operation: "note", messageId: "m1" },
    });
    // The same id in another session, for another operation, and for one that changes nothing.
    await note("second", two?.sessionId);
    await note("third", one?.sessionId, "read_note");
    await note("fourth", one?.sessionId, "read_note");
    expect(runs).toEqual(["first", "first", "second", "third", "fourth"]);
  },
);

it("can be used again after the request has failed", async () => {
  using home = testHome();
  const { plugin, runs } = noter();
  await using t = await testHost([echoAgent, plugin]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const note = (text: string) => (t.client.request as Request)("note" as never, { sessionId, text, messageId: "m1" });
  await expect(note("broken")).rejects.toThrow("it cannot be noted");
  await note("mended");
  expect(runs).toEqual(["broken", "mended"]);
});

it("name one copy of a session", async () => {
  using home = testHome();
  await using t = await testHost();
  const { client } = t;
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  await ask(client, sessionId, "one");
  const clone = (unsaved: boolean) => client.request("clone_session", { sessionId, unsaved, messageId: "copy" });
  const copy = await clone(false);
  expect((await clone(false)).sessionId).toBe(copy.sessionId);
  await expect(clone(true)).rejects.toMatchObject({ code: "MESSAGE_ID_REUSED" });
});
