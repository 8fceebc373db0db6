import type { SessionView } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import { afterEach, expect, it, vi } from "vitest";
import { Activity } from "../../../plugins/terminal/app/activity.ts";
import { Contributed } from "../../../plugins/terminal/app/contributed.ts";
import { QueueKeys } from "../../../plugins/terminal/app/queue-keys.ts";
import { SessionListener } from "../../../plugins/terminal/app/session-listener.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { desk } from "./input/desk.ts";

afterEach(() => void vi.useRealTimers());

/** The parts of the application that follow a session, with what was sent to sessions and how often the user was called. */
function stage() {
  const at = desk();
  const keys = createKeys();
  const done = { calls: [] as string[], sent: [] as string[] };
  const session = {
    view: undefined as SessionView | undefined,
    people: { isOwn: () => true },
    rights: { answer: true },
  };
  const queueKeys = new QueueKeys({
    ...{ keys, words: en, field: () => at.field, tell() {}, attempt: (work) => void work() },
    session: {
      ...session,
      get view() {
        return session.view;
      },
      get isRunning() {
        return session.view?.status.running === true;
      },
    } as never,
    conversation: {
      async changeQueue() {
        return true;
      },
      async send({ text }: { text: string }) {
        done.sent.push(`${text} to ${session.view?.sessionId}`);
      },
    } as never,
  });
  const activity = new Activity({ passed() {}, calls: (what) => void done.calls.push(what) });
  const listener = new SessionListener({
    ...{ session, queueKeys, activity, transcript: new Transcript(), questions: { update() {} }, field: at.field },
    ...{ conversation: { unsent: { connectionChanged() {} } }, contributed: undefined, onEntered() {}, redraw() {} },
  } as never);
  const enter = (sessionId: string, running: boolean, ...queued: string[]) => {
    const queue = queued.map((content): QueuedMessage => ({ id: content, mode: "follow_up", content, clientId: "me" }));
    const rest = { rows: [], live: [], requests: [], queue, status: { running } };
    session.view = { sessionId, ...rest } as unknown as SessionView;
    listener.entered(session.view);
  };
  return { ...at, queueKeys, activity, enter, done };
}

it("going from a session at work to an idle one does not call the user as if a turn had ended", () => {
  vi.useFakeTimers();
  const t = stage();
  t.enter("busy", true);
  vi.advanceTimersByTime(60_000);
  t.enter("idle", false);
  t.enter("busy", true);
  t.activity.update({ status: { running: false }, live: [], requests: [] } as unknown as SessionView);
  expect(t.done.calls).toEqual([]);
  t.activity.end();
});

it.each([
  ["taken out of the queue during a turn", true, "alpha\na draft"],
  ["that waits in the queue while it is edited", false, "a draft"],
])("a queued message %s is not sent to another session that is shown", (_, isRunning, kept) => {
  const t = stage();
  t.enter("first", isRunning, "alpha");
  t.type(..."a draft");
  t.queueKeys.begin();
  t.queueKeys.press("\r");
  expect([t.field.text, t.queueKeys.editing]).toEqual(["alpha", "alpha"]);
  t.enter("second", isRunning);
  expect([t.field.text, t.queueKeys.editing, t.queueKeys.leave(), t.done.sent]).toEqual([kept, undefined, false, []]);
});

it("keys of plugins run nothing in a session whose preset has no commands", async () => {
  let answer = async (): Promise<unknown> => ({ commands: [{ name: "undo", usage: "/undo", keys: ["alt+u"] }] });
  const run: string[] = [];
  const contributed = new Contributed({
    client: { request: () => answer() } as never,
    keys: createKeys(),
    sessionId: () => "s",
    run: (line) => void run.push(line),
    ...{ place: () => undefined, show() {}, attempt() {} },
  });
  await contributed.load();
  contributed.press("\x1bu");
  expect(run).toEqual(["undo"]);
  answer = () => Promise.reject(Object.assign(new Error("unknown"), { code: "HOST_OPERATION_UNKNOWN" }));
  await contributed.load();
  contributed.press("\x1bu");
  expect([run, contributed.has("undo")]).toEqual([["undo"], false]);
});

it("a late answer about the commands of a session that was left is not used", async () => {
  const answers = new Map<string, (commands: object[]) => void>();
  let sessionId = "first";
  const contributed = new Contributed({
    client: {
      request: (_: string, asked: { sessionId: string }) =>
        new Promise((resolve) => answers.set(asked.sessionId, (commands) => resolve({ commands }))),
    } as never,
    ...{ keys: createKeys(), sessionId: () => sessionId, run() {}, place: () => undefined, show() {}, attempt() {} },
  });
  const first = contributed.load();
  sessionId = "second";
  const second = contributed.load();
  answers.get("second")?.([{ name: "new" }]);
  answers.get("first")?.([{ name: "old" }]);
  await Promise.all([first, second]);
  expect([contributed.has("new"), contributed.has("old")]).toEqual([true, false]);
});
