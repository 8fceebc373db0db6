import type {} from "@scorel/commands/contract";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { echoAgent, testHome, testHost } from "../host/home.ts";

const boom = () => {
  throw new Error("boom");
};
const works = { run: () => "it works" };
const broken = (members: object) =>
  definePlugin({ id: "broken", name: "Broken", version: "1.0.0", ...members } as Parameters<typeof definePlugin>[0]);
const mine = definePlugin({ id: "mine", name: "Mine", version: "1.0.0", commands: () => ({ mine: works }) });

async function opened(members: object) {
  const home = testHome();
  const t = await testHost([echoAgent, mine, broken(members)]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const told = async () =>
    (await t.client.request("get_status", { sessionId })).notices.map(({ message }) => message).join("\n");
  const run = (name: string) => t.client.request("run_command", { sessionId, name, args: "" });
  const complete = (line: string) => t.client.request("complete_command", { sessionId, line });
  return {
    told,
    run,
    complete,
    request: t.client.request,
    sessionId,
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

describe(`invalid "commands" are reported, and other plugins' commands stay:`, () => {
  it.each<[string, unknown, string]>([
    ["a throw", boom, "boom"],
    ["a list of them", [works], '"commands" must be a function'],
    ["an answer that is none", () => 5, "must return an object with a command for each name"],
    ["a promise", async () => ({ x: works }), '"commands" must return its value synchronously'],
  ])("%s", async (_what, commands, reason) => {
    await using s = await opened({ commands });
    expect(await s.run("mine")).toEqual({ output: "it works" });
    expect(await s.told()).toContain('Plugin "broken" failed in commands');
    expect(await s.told()).toContain(reason);
  });
});

describe("one invalid command is reported once, and the others stay:", () => {
  it.each<[string, unknown, string]>([
    ["a number", 5, '"/x" of plugin "broken" cannot be used: it is neither a function nor an object with one'],
    ["without a function", { summary: "x" }, 'it has neither "run" nor "handler"'],
    ["arguments that are no schema", { ...works, args: 5 }, "its args are not a zod object"],
    [
      "arguments of zod 3",
      { ...works, args: z3.object({ of: z3.string() }) },
      "its args are a zod 3 schema; use zod 4",
    ],
    [
      "arguments that cannot be listed",
      { ...works, args: z.lazy(boom) },
      "its args cannot be converted to JSON Schema",
    ],
    ["a summary that is not text", { ...works, summary: 5 }, "its summary is not text"],
    ["completions that are none", { ...works, complete: 5 }, "its complete is not a function"],
  ])("%s", async (_what, x, reason) => {
    await using s = await opened({ commands: () => ({ first: works, x, plain: () => "plain" }) });
    expect(await s.run("first")).toEqual({ output: "it works" });
    expect(await s.run("plain")).toEqual({ output: "plain" });
    expect(await s.run("mine")).toEqual({ output: "it works" });
    await expect(s.run("x")).rejects.toMatchObject({
      code: "COMMAND_INVALID",
      message: expect.stringContaining(reason),
    });
    const { commands } = await s.request("list_commands", { sessionId: s.sessionId });
    const others = commands.flatMap(({ name, plugin }) => (["mine", "broken"].includes(plugin) ? [name] : []));
    expect(others.sort()).toEqual(["first", "mine", "plain"]);
    const told = await s.told();
    expect(told.split(reason)).toHaveLength(2);
  });
});

describe("a command that fails", () => {
  it.each<[string, () => unknown]>([
    ["throws", boom],
    ["rejects", () => Promise.reject(new Error("boom"))],
  ])("is reported to the caller and in the log when it %s", async (_how, run) => {
    await using s = await opened({ commands: () => ({ x: { run } }) });
    await expect(s.run("x")).rejects.toThrow("boom");
    expect(await s.told()).toContain('Plugin "broken" failed in command /x: boom');
    expect(await s.run("mine")).toEqual({ output: "it works" });
  });

  it("with a coded error is an answer, not a failure", async () => {
    const run = () => Promise.reject(Object.assign(new Error("no such note"), { code: "NOTE_UNKNOWN" }));
    await using s = await opened({ commands: () => ({ x: { run } }) });
    await expect(s.run("x")).rejects.toThrow("no such note");
    expect(await s.told()).toBe("");
  });
});

describe("failing completions are dropped and reported:", () => {
  it.each<[string, () => unknown, string]>([
    ["a throw", boom, "boom"],
    ["a late rejection", () => new Promise((_done, fail) => setTimeout(fail, 5, new Error("boom"))), "boom"],
    ["no answer at all", () => new Promise(() => {}), "took longer than 2000 ms"],
    ["an answer that is none", () => 5, 'its "complete" answers no list of texts'],
  ])("%s", async (_what, complete, reason) => {
    const args = z.object({ of: z.string() });
    await using s = await opened({ commands: () => ({ x: { ...works, args, complete } }) });
    expect(await s.complete("/x a")).toEqual({ from: 3, values: [] });
    expect(await s.told()).toContain('Plugin "broken" failed in complete of command /x');
    expect(await s.told()).toContain(reason);
  });
});

describe("invalid operations are reported, and all others stay:", () => {
  it.each<[string, unknown]>([
    ["a throw", boom],
    ["an answer that is none", () => 5],
    ["a handler that is none", () => ({ list_commands: 5 })],
    ["a handler that is not an object", () => ({ list_commands: null, run_command: "x" })],
    ["a handler without a schema", () => ({ list_commands: { run: boom } })],
  ])("%s", async (_what, operations) => {
    await using s = await opened({ operations });
    const { commands } = await s.request("list_commands", { sessionId: s.sessionId });
    expect(commands.map(({ name }) => name)).toContain("mine");
    expect(await s.told()).toContain('Plugin "broken" failed in operations');
  });
});
