import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textOf } from "../../../plugins/mcp/command.ts";
import { text, toolCall } from "../../model-server.ts";
import { itWith } from "../../optional.ts";
import { isAlive } from "../../processes.ts";
import { testHome } from "../host/home.ts";
import { lastText, offered, server, talk, testClock } from "./setup.ts";

async function resultOf(tool: string) {
  // A window in which the limit for results of servers is the smaller one.
  const model = { contextWindow: 200_000 };
  await using t = await talk([toolCall(`mcp__test__${tool}`, {}), text("Done.")], { model });
  return lastText((await t.say("Go."))[1] as never);
}

it("a result of 2 MB is cut, and says so", async () => {
  const shown = await resultOf("big");
  expect(shown.length).toBeLessThan(51_000);
  expect(shown).toContain("1,950,000 characters are left out");
});

it("control characters and escape sequences do not reach the model", async () => {
  expect(await resultOf("ansi")).toBe("abc");
});

it("an endless list of tools is cut, and /mcp, ToolSearch and one notice say so", async () => {
  const script = [toolCall("ToolSearch", { query: "zebra" }), text("Done."), text("Hello."), text("Hello.")];
  using home = testHome();
  const options = { servers: [server("test", ["--endless"])], config: { toolBudget: 2 }, home };
  await using t = await talk(script, options);
  const requests = [...(await t.say("Go.")), ...(await t.say("Go on."))];
  expect(lastText(requests[1] as never)).toBe(
    "No tool was found. Try other words.\nThese servers have more tools than could be searched: test.",
  );
  const { servers } = await t.client.request("list_mcp_servers", { sessionId: t.sessionId });
  expect(servers[0]?.tools).toHaveLength(4_096);
  expect(servers[0]?.problem).toBe("only its first 4096 tools are used");
  const notices = () => JSON.stringify(t.heard).match(/only its first 4096 are/g);
  expect(notices()).toHaveLength(1);
  const shown = textOf(servers).split("\n");
  expect(shown.at(-1)).toBe("  and 3796 more; scorel mcp test test shows all");
  expect(shown).toHaveLength(303);
  await t.close();
  await using later = await talk([text("Hello.")], options);
  await later.say("Go.");
  expect(JSON.stringify(later.heard)).toContain("only its first 4096 are");
});

it("texts of tools that are too long in all are cut", async () => {
  using home = testHome();
  const list = join(home.home, "tools.json");
  const description = "x".repeat(1_000_000);
  writeFileSync(list, JSON.stringify(Array.from({ length: 12 }, (_, at) => ({ name: `t${at}`, description }))));
  const servers = [server("test", [], { env: { LIST: list } })];
  await using t = await talk([text("Hello.")], { servers, home, config: { toolBudget: 0 } });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toHaveLength(7);
});

it("a server that announces a thousand times that its tools have changed is asked for them once more", async () => {
  const { clock, pending, next } = testClock();
  await using t = await talk(
    [toolCall("mcp__test__flood", {}), text("Done."), toolCall("mcp__test__lists", {}), text("Done.")],
    { clock },
  );
  await t.say("Go.");
  await expect.poll(() => pending.length).toBe(1);
  next();
  const requests = await t.say("Go on.");
  expect(lastText(requests[1] as never)).toBe("2");
});

it("lines that are no messages are ignored", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", ["--chatty", "--only=echo"])] });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual(["mcp__test__echo"]);
});

it("a message that is too long ends the server, and the call says why", async () => {
  const { clock } = testClock();
  await using t = await talk([toolCall("mcp__test__huge", {}), text("Done.")], { clock });
  const requests = await t.say("Go.");
  expect(lastText(requests[1] as never)).toContain("it sent a message of more than 16 MB");
});

it("a server that dies in a call is an error for the model, and is started again with a growing delay", async () => {
  const { clock, pending, next } = testClock();
  const calls = [0, 1].flatMap(() => [toolCall("mcp__test__die", {}), text("Done.")]);
  await using t = await talk([...calls, toolCall("mcp__test__echo", { text: "back" }), text("Done.")], { clock });
  const [, died] = await t.say("Go.");
  expect(lastText(died as never)).toMatch(/it ended before it answered \(exit code 3\).*is not known/);
  expect(pending.map(({ ms }) => ms)).toEqual([1_000]);
  next();
  await t.say("Once more.");
  expect(pending.map(({ ms }) => ms)).toEqual([2_000]);
  // A call does not wait for the delay.
  const requests = await t.say("Go on.");
  expect(lastText(requests[1] as never)).toBe("back");
  expect(pending).toEqual([]);
});

it("a server that keeps ending is given up, which is reported", async () => {
  const { clock, pending, next } = testClock();
  const calls = Array.from({ length: 6 }, () => [toolCall("mcp__test__die", {}), text("Done.")]).flat();
  await using t = await talk(calls, { clock });
  for (let time = 0; time < 6; time++) {
    await t.say("Go.");
    if (time < 5) expect(pending).toHaveLength(1);
    next();
  }
  expect(pending).toEqual([]);
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toContain("is not restarted again after 5 attempts: exit code 3");
});

itWith("linux", "servers end with their session, together with everything that they have started", async () => {
  await using t = await talk([toolCall("mcp__test__family", {}), text("Done.")]);
  const requests = await t.say("Go.");
  const pids = lastText(requests[1] as never)
    .split(" ")
    .map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await t.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
});

itWith("linux", "a server that does not list its tools ends with its session", async () => {
  using home = testHome();
  const listed = join(home.home, "listed");
  const servers = [server("test", [], { env: { LISTED: listed } })];
  await using t = await talk([text("Hello.")], { home, servers, config: { wait: 0 }, attending: true });
  await t.say("Go.");
  await expect.poll(() => existsSync(listed) && readFileSync(listed, "utf8")).toMatch(/^\d+$/);
  await t.close();
  expect(isAlive(Number(readFileSync(listed, "utf8")))).toBe(false);
});

itWith("linux", "a server that does not list its tools can be restarted at once", async () => {
  using home = testHome();
  const listed = join(home.home, "listed");
  const servers = [server("test", [], { env: { LISTED: listed } })];
  await using t = await talk([text("Hello.")], { home, servers, config: { wait: 0 }, attending: true });
  await t.say("Go.");
  const pid = () => (existsSync(listed) ? Number(readFileSync(listed, "utf8")) : 0);
  await expect.poll(pid).toBeGreaterThan(0);
  const first = pid();
  const { sessionId } = t;
  const restarted = t.client.request("restart_mcp_server", { sessionId, name: "test" });
  restarted.catch(() => {});
  await expect.poll(pid, { timeout: 10_000 }).not.toBe(first);
  expect(isAlive(first)).toBe(false);
  await t.client.drained(sessionId);
  expect(JSON.stringify(t.heard)).not.toContain("could not be started");
});

it.each(["initialize", "tools/list"])(
  "a call that waits for a server that hangs at %s gets its answer after a restart",
  async (method) => {
    using home = testHome();
    const hung = join(home.home, "hung");
    const servers = [server("test", ["--only=echo"], { env: { HUNG: hung } })];
    {
      await using t = await talk([text("Hello.")], { home, servers });
      await t.say("Go.");
    }
    writeFileSync(hung, method);
    const script = [toolCall("mcp__test__echo", { text: "hi" }), text("Done.")];
    // The clock stands still, so only the call starts the server.
    await using t = await talk(script, { home, servers, clock: testClock().clock });
    const { sessionId } = t;
    const { id } = await t.begin("Go.");
    const asked = () => (existsSync(`${hung}.asked`) ? readFileSync(`${hung}.asked`, "utf8") : "");
    await expect.poll(asked).toMatch(/^\d+$/);
    const first = asked();
    const restart = () => t.client.request("restart_mcp_server", { sessionId, name: "test" });
    const hanging = restart();
    await expect.poll(asked).not.toBe(first);
    rmSync(hung);
    const states = (await Promise.all([hanging, restart()])).map(({ state }) => state);
    await t.client.request("wait_turn", { sessionId, id });
    expect([states, lastText(t.model.requests[1] as never)]).toEqual([["up", "up"], "hi"]);
  },
);
