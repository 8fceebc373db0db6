import type { QueuedMessage } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { QueueKeys } from "../../../plugins/terminal/app/queue-keys.ts";
import { queueStrip, textOf, unsentStrip } from "../../../plugins/terminal/app/strip.ts";
import { contentOf } from "../../../plugins/terminal/input/content.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { eventually } from "../../eventually.ts";
import { png, quarters } from "../images/pictures.ts";
import { desk, key } from "./input/desk.ts";

const keys = createKeys();
const theme = { name: "none", style: (_role, text) => text } as Theme;

/** A conversation with a queue, whose first message is taken when a turn ends. */
function stage(...texts: string[]) {
  const message = (text: string, id = text): QueuedMessage => ({
    id,
    mode: "follow_up",
    content: text,
    clientId: "me",
  });
  const view = { queue: texts.map((text) => message(text)), status: {} };
  const sent: string[] = [];
  const told: string[] = [];
  const session = { sessionId: "s", view, isRunning: true, people: { isOwn: () => true } };
  const conversation = {
    async changeQueue(
      make: (items: { id: string }[], queue: readonly QueuedMessage[]) => { id: string }[] | undefined,
    ) {
      const wanted = make(
        view.queue.map(({ id }) => ({ id })),
        view.queue,
      );
      if (!wanted) return false;
      view.queue = wanted.flatMap(({ id }) => view.queue.filter((item) => item.id === id));
      return true;
    },
    async send({ text }: { text: string }) {
      if (session.isRunning) view.queue = [...view.queue, message(text, `new ${text}`)];
      else sent.push(text);
    },
    async runQueue() {},
  };
  const field = {
    text: "",
    setText(text: string) {
      field.text = text;
    },
  };
  let now = 10_000;
  const wait = (ms: number) => {
    now += ms;
  };
  const queueKeys = new QueueKeys({
    ...{ keys, words: en, session: session as never, conversation, field: () => field as never },
    tell: (text) => void told.push(text),
    attempt: (work) => void work(),
    now: () => now,
  });
  const turnEnds = () => {
    sent.push(...view.queue.splice(0).map(({ content }) => content as string));
    session.isRunning = false;
  };
  const running = (isRunning: boolean) => {
    session.isRunning = isRunning;
  };
  const texts_ = () => view.queue.map(({ content }) => content);
  const strip = () => queueStrip(view.queue, 80, { theme, words: en, keys }, queueKeys);
  const enter = (text: string) => queueKeys.takes({ mode: "message", text, attachments: [] });
  return { queueKeys, wait, field, sent, told, turnEnds, running, texts: texts_, strip, enter };
}

const [up, enter] = ["\x1b[A", "\r"];

it("a queued message that is edited is held back until the edit is done, and then keeps its place", async () => {
  const t = stage("alpha", "beta");
  t.queueKeys.begin();
  t.queueKeys.press(up);
  t.queueKeys.press(enter);
  await eventually(() => expect(t.texts()).toEqual(["beta"]));
  expect([t.field.text, t.strip().slice(1, 3)]).toEqual(["alpha", ["✎ alpha", "≡ beta"]]);
  expect(t.enter("alpha extra")).toBe(true);
  await eventually(() => expect(t.texts()).toEqual(["alpha extra", "beta"]));
  expect([t.field.text, t.told]).toEqual(["", []]);
});

it("a message whose turn has ended meanwhile is sent as it was edited", async () => {
  const t = stage("alpha", "beta");
  t.queueKeys.begin();
  t.queueKeys.press(enter);
  await eventually(() => expect(t.texts()).toEqual(["alpha"]));
  t.turnEnds();
  expect(t.strip()).toEqual(["✎ beta", "Editing a queued message: Enter puts it back, Esc leaves it as it was"]);
  t.enter("beta extra");
  await eventually(() => expect(t.sent).toEqual(["alpha", "beta extra"]));
});

it("a message whose edit is given up is put back as it was", async () => {
  const t = stage("alpha", "beta");
  t.field.text = "a draft";
  t.queueKeys.begin();
  t.queueKeys.press(up);
  t.queueKeys.press(enter);
  await eventually(() => expect(t.texts()).toEqual(["beta"]));
  expect(t.queueKeys.leave()).toBe(true);
  await eventually(() => expect(t.texts()).toEqual(["alpha", "beta"]));
  expect(t.field.text).toBe("a draft");
});

it.each([
  ["is no draft if it waits in the queue as it is", false, undefined, "a draft"],
  ["is a draft if it was changed", false, "beta extra", "beta extra\na draft"],
  ["is a draft if it is out of the queue", true, undefined, "beta\na draft"],
])("a message that somebody edits and leaves %s", async (_, isRunning, changed, left) => {
  const t = stage("alpha", "beta");
  t.running(isRunning);
  t.field.text = "a draft";
  t.queueKeys.begin();
  t.queueKeys.press(enter);
  expect(t.field.text).toBe("beta");
  await eventually(() => expect(t.texts()).toEqual(isRunning ? ["alpha"] : ["alpha", "beta"]));
  if (changed !== undefined) t.field.text = changed;
  t.queueKeys.keepInDraft();
  expect([t.field.text, t.queueKeys.editing]).toEqual([left, undefined]);
});

it("a message for a turn that has ended is not said to go into one", () => {
  const queue: QueuedMessage[] = [{ id: "a", mode: "steer", content: "alpha", clientId: "me" }];
  const lines = (isIdle: boolean) =>
    queueStrip(queue, 80, { theme, words: en, keys, isIdle }, { chosen: undefined, editing: undefined });
  expect(lines(true)).toEqual(["Queued: sent after your next message · Alt-Q sends or changes them", "↳ alpha"]);
  expect(lines(false)[1]).toBe("↳ alpha  (sent into this turn at its next step)");
});

it("of a long paste that waits, only the beginning is read for its line, which is drawn with each frame", () => {
  const content = `\n  \n${"word\n".repeat(200_000)}`;
  expect(textOf({ content })).toBe("word ".repeat(400).trimEnd());
  const [title, line] = unsentStrip({ isAway: false, texts: [content] }, 30, { theme, words: en, keys });
  expect([title, line]).toEqual(["On its way; the host has not …", "⋯ word word word word word wo…"]);
});

describe("a picture of a queued message", () => {
  const image = { type: "image", mimeType: "image/png", data: png(2, 2, quarters(2, 2)).toString("base64") } as const;
  const text = "see [image #1]";
  /** A conversation with one queued message, whose changes and messages are recorded. */
  function withPicture(isRunning: boolean, words = text) {
    const item = {
      id: "a",
      mode: "follow_up",
      content: [{ type: "text", text: words }, image],
      clientId: "me",
    } as QueuedMessage;
    const view = { queue: [item], status: {} };
    const at = desk();
    const contents: unknown[] = [];
    const conversation = {
      async changeQueue(make: (items: { id: string }[], queue: readonly QueuedMessage[]) => object[] | undefined) {
        contents.push(
          ...(make([{ id: "a" }], view.queue) ?? []).flatMap((each) => ("content" in each ? each.content : [])),
        );
        return true;
      },
      async send(message: Parameters<typeof contentOf>[0]) {
        contents.push(...[contentOf(message)].flat());
      },
    };
    const session = { sessionId: "s", view, isRunning, people: { isOwn: () => true } };
    const queueKeys = new QueueKeys({
      ...{ keys, words: en, session: session as never, conversation: conversation as never },
      ...{ field: () => at.field, tell() {}, attempt: (work) => void work() },
    });
    at.field.onSubmit = (submission) => void queueKeys.takes(submission);
    return { ...at, queueKeys, contents };
  }

  it.each([
    ["while a turn runs", true],
    ["while no turn runs", false],
  ])("is sent once when the message is edited %s, unless its mark is deleted", async (_, isRunning) => {
    const edits = [
      [text, " and this", [{ type: "text", text: `${text} and this` }, image]],
      ["see it", " and this", [{ type: "text", text: "see it [image #1] and this" }, image]],
      ["see it", key.backspace.repeat(" [image #1]".length), "see it"],
    ] as const;
    for (const [words, typed, expected] of edits) {
      const t = withPicture(isRunning, words);
      t.queueKeys.begin();
      t.queueKeys.press(enter);
      t.type(...typed, enter);
      await eventually(() => expect(t.contents).toEqual([expected].flat()));
    }
  });
});

it("a key that leaves has to be pressed again for a second after the list has closed by itself", () => {
  const leave = "\u0004";
  const pressed = (ms: number, text = "") => {
    const t = stage("one");
    t.queueKeys.begin();
    t.turnEnds();
    t.queueKeys.update();
    t.field.text = text;
    t.wait(ms);
    return [t.queueKeys.press(leave), t.queueKeys.press(leave), t.told];
  };
  expect([pressed(500), pressed(1_500), pressed(500, "draft")]).toEqual([
    [true, false, [en.pressAgain("Ctrl-D")]],
    [false, false, []],
    [false, false, []],
  ]);
});
