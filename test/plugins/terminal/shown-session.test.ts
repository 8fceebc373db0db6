import { expect, it } from "vitest";
import { ShownSession } from "../../../plugins/terminal/app/shown-session.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

/** A terminal's session at a real host, with two further sessions, and the rows that it has announced so far. */
async function shown() {
  const home = testHome();
  const t = await testHost([echoAgent]);
  const create = () => t.client.request("create_session", { cwd: home.cwd });
  const statuses = [await create(), await create(), await create()] as const;
  const heard: string[] = [];
  const listener = {
    told: () => {},
    entered: () => {},
    passed: () => {},
    changed: ({ kind }: { kind: string }) => void heard.push(kind),
  };
  return {
    ...{ client: t.client, statuses, heard, session: new ShownSession(t.client, listener as never, en) },
    openSessions: async () =>
      (await t.client.request("list_sessions", {})).sessions.flatMap(({ sessionId, running }) =>
        running === undefined ? [] : [sessionId],
      ),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

it("a session stays shown if another one cannot be followed", async () => {
  await using t = await shown();
  const [first] = t.statuses;
  await t.session.enter(first);
  const gone = { ...first, sessionId: "deleted-meanwhile" };
  await expect(t.session.enter(gone)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  t.heard.length = 0;
  await t.client.request("send_message", { sessionId: first.sessionId, content: "hello" });
  await expect.poll(() => t.heard).toContain("rows");
  expect(t.session.sessionId).toBe(first.sessionId);
});

it("of two switches at once, the second begins after the first, and no session is left open", async () => {
  await using t = await shown();
  const [first, second, third] = t.statuses;
  await t.session.enter(first);
  await Promise.all([t.session.enter(second), t.session.enter(third)]);
  expect([t.session.sessionId, await t.openSessions()]).toEqual([third.sessionId, [third.sessionId]]);
});
