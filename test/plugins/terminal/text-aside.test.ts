import { describe, expect, it } from "vitest";
import { Questions } from "../../../plugins/terminal/app/questions.ts";
import { QueueKeys } from "../../../plugins/terminal/app/queue-keys.ts";
import { SessionListener } from "../../../plugins/terminal/app/session-listener.ts";
import { submit } from "../../../plugins/terminal/app/submit.ts";
import { Completing, type Source } from "../../../plugins/terminal/input/completing.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { eventually } from "../../eventually.ts";
import { desk, key } from "./input/desk.ts";

/** A field, and questions that are answered with it or beside it. */
function asking() {
  const listed: string[] = [];
  const compact: Source = async ({ mode, before }) => {
    listed.push(before);
    return mode === "command" ? { length: before.length, items: [{ text: "compact " }] } : undefined;
  };
  const at = desk({ completing: new Completing([compact]) });
  const given: unknown[] = [];
  let now = 10_000;
  const questions = new Questions({
    words: en,
    give: async (_, answer) => void given.push(answer),
    field: () => at.field,
    now: () => now,
  });
  at.field.isAnswer = () => questions.takesText;
  at.field.onSubmit = (submission) =>
    submit(
      { questions, field: at.field, transcript: { toEnd() {} }, queueKeys: { takes: () => false } } as never,
      submission,
      "follow_up",
    );
  const look = { theme: themeOf("none", none), words: en, keys: createKeys() };
  const wait = () => {
    questions.render(80, { height: 20, whole: 20, reading: 20, most: 20 }, look);
    now += 1_000;
  };
  const ask = (kind: string) => {
    questions.update([{ requestId: "a", plugin: "p", kind, title: "Which?" } as never]);
    wait();
  };
  return { ...at, questions, given, ask, wait, listed, keys: look.keys };
}

/** Queued messages with the keys for them, beside a field. */
function queued(...texts: string[]) {
  const at = desk();
  const view = {
    queue: texts.map((content) => ({ id: content, mode: "follow_up", content, clientId: "me" })),
    status: {},
  };
  const session = { sessionId: "s", view, isRunning: false, people: { isOwn: () => true } };
  const queueKeys = new QueueKeys({
    ...{ keys: createKeys(), words: en, session: session as never, conversation: {} as never },
    ...{ field: () => at.field, tell() {}, attempt() {} },
  });
  return { ...at, queueKeys };
}

const shown = ({ field }: ReturnType<typeof desk>) => [field.mode, field.silent, field.text];

describe("a line that is being typed", () => {
  it.each([
    ["/compact", ["command", false, "compact"]],
    ["!ls", ["shell", false, "ls"]],
    ["!!ls", ["shell", true, "ls"]],
    ["a message", ["message", false, "a message"]],
  ])("is still what it was after a question: %s", (line, expected) => {
    const t = asking();
    t.type(...line);
    t.ask("input");
    t.questions.press(key.tab, t.keys);
    expect(shown(t)).toEqual(["message", false, ""]);
    t.questions.update([]);
    expect(shown(t)).toEqual(expected);
  });

  it.each([
    ["/compact", ["command", false, "compact"]],
    ["!!ls", ["shell", true, "ls"]],
  ])("is still what it was after a queued message was edited: %s", (line, expected) => {
    const t = queued("alpha");
    t.type(...line);
    t.queueKeys.begin();
    t.queueKeys.press(key.enter);
    expect(shown(t)).toEqual(["message", false, "alpha"]);
    t.queueKeys.leave();
    expect(shown(t)).toEqual(expected);
  });

  it("is joined with a text that comes back to the field, with its mark", () => {
    const t = desk();
    t.type(..."!!ls");
    const listener = new SessionListener({ field: t.field, redraw() {} } as never);
    listener.offered({ text: "compact now", mode: "command" });
    expect(shown(t)).toEqual(["message", false, "/compact now\n!!ls"]);
  });
});

describe("a picture of a text that is being typed", () => {
  const attach = ({ field }: ReturnType<typeof desk>) => {
    const attachment = { mark: "[image #2]", image: Buffer.from("mine") };
    field.attach(attachment);
    return attachment;
  };

  it("is still attached after a question", () => {
    const t = asking();
    const attachment = attach(t);
    t.ask("input");
    t.questions.press(key.tab, t.keys);
    expect(t.field.attachments).toEqual([]);
    t.type("half an answer");
    t.questions.update([]);
    expect([t.field.text, t.field.attachments]).toEqual(["[image #2] \n\nhalf an answer", [attachment]]);
  });

  it("is still attached after a queued message was edited", () => {
    const t = queued("alpha");
    const attachment = attach(t);
    t.queueKeys.begin();
    t.queueKeys.press(key.enter);
    expect([t.field.text, t.field.attachments]).toEqual(["alpha", []]);
    t.queueKeys.leave();
    expect([t.field.text, t.field.attachments]).toEqual(["[image #2] ", [attachment]]);
  });

  it("is attached beside those of a message that comes back to the field", () => {
    const t = desk();
    const attachment = attach(t);
    const listener = new SessionListener({ field: t.field, redraw() {} } as never);
    const returned = { mark: "[image #1]", image: Buffer.from("returned") };
    listener.offered({ text: "[image #1] look", attachments: [returned] });
    expect([t.field.text, t.field.attachments]).toEqual(["[image #1] look\n[image #2] ", [returned, attachment]]);
  });
});

describe("an answer", () => {
  it.each(["/etc", "!important", "yes"])("may begin with the mark of a command or a shell line: %s", (answer) => {
    const t = asking();
    t.ask("input");
    t.type(...answer, key.enter);
    expect(t.given).toEqual([{ answer }]);
  });

  it("is not completed as a command, not even by a list that is open when the text becomes an answer", async () => {
    const t = asking();
    t.ask("input");
    const isOpen = () => t.field.render(40).length > 3;
    t.questions.press(key.tab, t.keys);
    t.field.isAnswer = () => false;
    t.type("/c");
    await eventually(() => expect(isOpen()).toBe(true));
    t.field.isAnswer = () => t.questions.takesText;
    expect(isOpen()).toBe(false);
    t.type("ache", key.tab);
    expect([isOpen(), t.listed.includes("cache")]).toEqual([false, false]);
    t.type(key.enter);
    expect(t.given).toEqual([{ answer: "/cache" }]);
  });

  it("that is given too soon goes back to the field as it was", () => {
    const t = asking();
    t.questions.update([{ requestId: "a", plugin: "p", kind: "input", title: "Which?" } as never]);
    t.type(..."/etc", key.enter);
    expect([t.given, shown(t)]).toEqual([[], ["command", false, "etc"]]);
  });
});
