import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { echoAgent, testHome, testHost } from "../host/home.ts";

/** A session with these commands of a plugin. */
async function opened(commands: object) {
  const home = testHome();
  const mine = definePlugin({ id: "mine", name: "Mine", version: "1.0.0", commands: () => commands as never });
  const t = await testHost([echoAgent, mine]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  return {
    t,
    sessionId,
    listed: async () =>
      (await t.client.request("list_commands", { sessionId })).commands.filter(({ plugin }) => plugin === "mine"),
    choices: async (name: string) => (await t.client.request("list_choices", { sessionId, name })).choices,
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
const run = () => "ran";

it("a command is listed with its keys, and with what it is used with", async () => {
  const choices = () => [
    "plain",
    { value: "a", label: "A", detail: `1${"😀".repeat(100)}`, preview: "x".repeat(30_000), more: 1 },
  ];
  await using t = await opened({ open: { keys: "alt+n", choices, run }, close: { keys: ["f9"], run }, plain: run });
  expect(await t.listed()).toEqual([
    { name: "close", plugin: "mine", group: "Other", description: "", usage: "/close", keys: ["f9"] },
    { name: "open", plugin: "mine", group: "Other", description: "", usage: "/open", keys: ["alt+n"], chooses: true },
    { name: "plain", plugin: "mine", group: "Other", description: "", usage: "/plain" },
  ]);
  expect(await t.choices("open")).toEqual([
    { value: "plain" },
    { value: "a", label: "A", detail: `1${"😀".repeat(99)}`, preview: "x".repeat(20_000) },
  ]);
  expect(await t.choices("close")).toEqual([]);
});

it.each([
  ["throws", () => Promise.reject(new Error("broken"))],
  ["is not a list", () => ({ value: "a" })],
  ["has an item without a value", () => [{ label: "a" }]],
])("a list of choices that %s is an error for the caller, and a failure of its plugin", async (_what, choices) => {
  await using t = await opened({ open: { choices, run }, other: run });
  await expect(t.choices("open")).rejects.toMatchObject({ code: "COMMAND_CHOICES" });
  expect((await t.listed()).map(({ name }) => name)).toEqual(["open", "other"]);
  expect((await t.t.client.request("get_status", { sessionId: t.sessionId })).notices.length).toBeGreaterThan(0);
});

it("a command with keys or choices of a wrong form is left out, and the others are used", async () => {
  await using t = await opened({ a: { keys: 7, run }, b: { choices: ["x"], run }, c: run });
  expect((await t.listed()).map(({ name }) => name)).toEqual(["c"]);
});

it("a client cannot list the choices of a command that it may not run", async () => {
  await using t = await opened({ open: { choices: () => ["secret"], run } });
  const reader = t.t.kernel.find("host")?.connect({ clientId: "reader", scope: { operations: "read" } } as never);
  await expect(reader?.request("list_choices", { sessionId: t.sessionId, name: "open" })).rejects.toMatchObject({
    code: "HOST_FORBIDDEN",
  });
});
