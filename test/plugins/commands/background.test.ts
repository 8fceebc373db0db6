import type { BackgroundItem } from "@scorel/commands/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { gate } from "../../model-server.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

/** A session with plugins that contribute this background work. */
async function opened(...works: unknown[]) {
  const home = testHome();
  const plugins = works.map((backgroundWork, at) =>
    definePlugin({ id: `work-${at}`, name: "Work", version: "1.0.0", backgroundWork: () => backgroundWork } as never),
  );
  const t = await testHost([echoAgent, ...plugins]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  return {
    tasks: async (args = "") => (await t.client.request("run_command", { sessionId, name: "tasks", args })).output,
    list: async () => (await t.client.request("list_background", { sessionId })).items,
    wait: (after: number, known: string[] = [], more = {}) =>
      t.client.request("wait_background", { sessionId, after, known, ...more }),
    told: async () => (await t.client.request("get_status", { sessionId })).notices.map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** Background work with these items, which ends when it is stopped. */
function work(...items: BackgroundItem[]) {
  return {
    list: () => items,
    stop: (id: string) =>
      void items.splice(
        items.findIndex((item) => item.id === id),
        1,
      ),
  };
}

const since = Date.now() - 5_000;

it("is listed by /tasks, the oldest first, and stopped by its number or id", async () => {
  const looking = { id: "s1", title: "subagent: Look", since, sessionId: "abc" };
  const server = { id: "c1", title: "$ npm run dev\n\u001b[2J", since: since - 600_000 };
  await using s = await opened(work(looking), work(server));
  const listed = await s.tasks();
  expect(listed).not.toContain("\u001b");
  expect(listed?.split("\n")).toEqual([
    expect.stringMatching(/^1\. \$ npm run dev.* \(10 min\)$/),
    expect.stringMatching(/^2\. subagent: Look \(\d+ s, session abc\)$/),
    "To end one: /tasks stop 1. To watch a session, in another terminal: scorel attach ID",
  ]);
  expect(await s.tasks("stop 2")).toBe("Stopped: subagent: Look");
  expect((await s.list()).map(({ id }) => id)).toEqual(["c1"]);
  expect((await s.tasks())?.split("\n").slice(1)).toEqual(["To end one: /tasks stop 1."]);
  await s.tasks("stop c1");
  expect(await s.tasks()).toBe("Nothing runs in the background.");
  await expect(s.tasks("stop 1")).rejects.toMatchObject({ code: "BACKGROUND_UNKNOWN" });
});

it("keeps the number that a list has shown, when work before it has ended", async () => {
  const items = ["c1", "c2", "c3"].map((id, at) => ({ id, title: `build ${id}`, since: since + at }));
  const own = work(...items);
  await using s = await opened(own);
  await s.tasks();
  own.stop("c1");
  expect(await s.tasks("stop 2")).toBe("Stopped: build c2");
  await expect(s.tasks("stop 1")).rejects.toMatchObject({ code: "BACKGROUND_UNKNOWN" });
  await s.tasks();
  expect(await s.tasks("stop 1")).toBe("Stopped: build c3");
});

it("is waited for if its end is announced by a message, and if it began after the event that is named", async () => {
  const [first, second] = [gate(), gate()];
  const report = (begun: number, ended: Promise<unknown>) => ({
    begun,
    ended,
    message: undefined as string | undefined,
  });
  const reports = [report(3, new Promise(() => {})), report(7, first.promise), report(8, second.promise)];
  await using s = await opened(work(), { ...work(), reports: () => reports });
  expect(await s.wait(5, [], { wait: false })).toEqual({ reports: [], running: 2 });
  const waiting = s.wait(5);
  Object.assign(reports[2] as object, { message: "m8" });
  second.open();
  expect(await waiting).toEqual({ reports: ["m8"], running: 1 });
  const again = s.wait(5, ["m8"]);
  Object.assign(reports[1] as object, { message: "m7" });
  first.open();
  expect(await again).toEqual({ reports: ["m7"], running: 0 });
  expect(await s.wait(5, ["m7", "m8"])).toEqual({ reports: [], running: 0 });
  reports.push(report(9, Promise.resolve()), report(10, Promise.reject(new Error("failed"))));
  expect(await s.wait(8)).toEqual({ reports: [], running: 0 });
});

it("of a faulty plugin is left out, and the plugin is named", async () => {
  const item = { id: "c1", title: "$ make", since };
  const boom = () => {
    throw new Error("boom");
  };
  await using s = await opened({ list: 3 }, { list: boom, stop: boom, reports: boom }, work(item));
  expect(await s.list()).toEqual([item]);
  expect(await s.wait(0)).toEqual({ reports: [], running: 0 });
  const told = (await s.told()).join("\n");
  expect([
    told.includes('"backgroundWork" of plugin "work-0"'),
    told.includes("work-1"),
    told.includes("boom"),
  ]).toEqual([true, true, true]);
});

it.each<[string, object]>([
  ["a list that is none", { list: () => 5, reports: () => 5 }],
  ["items that are none", { list: () => [null], reports: () => [null] }],
  ["items without a time", { list: () => [{ id: "x", title: "x" }], reports: () => [{ begun: 7 }] }],
])("of a plugin that returns %s is left out, and the plugin is named", async (_what, members) => {
  const item = { id: "c1", title: "$ npm run dev", since };
  await using s = await opened({ stop: () => {}, ...members }, work(item));
  expect(await s.list()).toEqual([item]);
  expect(await s.tasks("stop c1")).toBe("Stopped: $ npm run dev");
  expect(await s.wait(0)).toEqual({ reports: [], running: 0 });
  expect((await s.told()).join("\n")).toContain("work-0");
});
