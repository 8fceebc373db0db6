import { definePlugin } from "@scorel/kernel";
import { expect, it, onTestFinished } from "vitest";
import { Keeper } from "../../../plugins/daemon/keeper.ts";
import { eventually } from "../../eventually.ts";
import { ask, echoAgent, testHome, testHost } from "../host/home.ts";

/** A plugin of sessions with the given work in the background. */
const worker = (list: () => readonly { id: string; title: string; since: number }[]) =>
  definePlugin({
    id: "worker",
    name: "Worker",
    version: "1.0.0",
    backgroundWork: () => ({ list, stop: () => {} }),
  });

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A keeper of a host, with a session that a client has left. */
async function keeping(background: readonly { id: string; title: string; since: number }[]) {
  const home = testHome();
  const t = await testHost([echoAgent, worker(() => background)]);
  const warned: unknown[] = [];
  const warn = (_message: string, thrown?: unknown) => void warned.push(thrown);
  const keeper = new Keeper(t.host, { idleMs: 0, logger: { debug: warn, info: warn, warn, error: warn } });
  onTestFinished(async () => {
    await keeper.end();
    await t[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  await keeper.start();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, "hi");
  await eventually(async () =>
    expect(await t.client.request("get_status", { sessionId })).toMatchObject({ clients: 2 }),
  );
  const leave = () => t.client.request("close_session", { sessionId });
  return { ...t, keeper, sessionId, leave, warned, close: () => keeper.closeIn(home.cwd) };
}

it("a session in which something works in the background is not closed as unused until that has ended", async () => {
  const background = [{ id: "1", title: "$ npm run build", since: 1 }];
  const { keeper, leave, close, warned } = await keeping(background);
  expect(await leave()).toEqual({ closed: false, notices: [] });
  await close();
  const during = keeper.counts.open;
  background.pop();
  await close();
  await eventually(() => expect(keeper.counts.open).toBe(0));
  expect({ during, warned }).toEqual({ during: 1, warned: [] });
});

it("a session that a client has open is still kept after it was not closed as unused", async () => {
  const { keeper, leave, close, warned } = await keeping([]);
  await close();
  expect(await leave()).toEqual({ closed: false, notices: [] });
  const during = keeper.counts.open;
  await close();
  await eventually(() => expect(keeper.counts.open).toBe(0));
  expect({ during, warned }).toEqual({ during: 1, warned: [] });
});

it("a host in which something works in the background counts as used until that has ended", async () => {
  using home = testHome();
  const background = [{ id: "1", title: "$ npm run build", since: 1 }];
  let looks = 0;
  const list = () => {
    looks++;
    return background;
  };
  await using t = await testHost([echoAgent, worker(list)]);
  const keeper = new Keeper(t.host, { idleMs: 20, logger: silent });
  await keeper.start();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, "hi");
  await eventually(() => expect(keeper.counts).toEqual({ open: 1, running: 0, waiting: 0 }));
  let isOver = false;
  const over = keeper
    .whenUnused(() => false)
    .then(() => {
      isOver = true;
    });
  // Each look is a quarter of the time after which the host would end.
  await eventually(() => expect(looks).toBeGreaterThan(12));
  const during = isOver;
  background.pop();
  await over;
  await keeper.end();
  expect({ during, isOver }).toEqual({ during: false, isOver: true });
});

it("a host in which nothing works in the background ends when it is unused", async () => {
  using home = testHome();
  await using t = await testHost([echoAgent]);
  const keeper = new Keeper(t.host, { idleMs: 20, logger: silent });
  await keeper.start();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, "hi");
  await keeper.whenUnused(() => false);
  await keeper.end();
  expect(keeper.counts.open).toBe(1);
});
