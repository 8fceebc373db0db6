import { expect, it } from "vitest";
import { basicActions } from "../../../plugins/terminal/app/basic-actions.ts";
import { submit } from "../../../plugins/terminal/app/submit.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

it("the key for the next mode skips full until somebody has chosen it in the session", async () => {
  const told: string[] = [];
  let work = Promise.resolve();
  const status = { permission: "ask" };
  const conversation = {
    modes: async () => ["ask", "edits", "plan", "full"],
    async setMode(mode: string) {
      status.permission = mode;
    },
  };
  const app = {
    ...{ reader: {}, looks: {}, words: en, session: { sessionId: "s", view: { status } }, conversation },
    tell: (text: string, level = "info") => void told.push(`${level}: ${text}`),
    attempt(run: () => Promise<void>) {
      work = run();
    },
  };
  const { mode } = basicActions(app as never);
  const pressed = async (times: number) => {
    const from = told.length;
    for (let at = 0; at < times; at++) {
      mode?.();
      await work;
    }
    return told.slice(from);
  };
  const left = "info: Permission mode: ask (/permission full is left out: it asks nothing.)";
  expect(await pressed(3)).toEqual(["info: Permission mode: edits", "info: Permission mode: plan", left]);
  status.permission = "full";
  expect(await pressed(4)).toEqual([
    ...["info: Permission mode: ask", "info: Permission mode: edits", "info: Permission mode: plan"],
    "warning: Permission mode: full",
  ]);
});

it("a message that is a known command, but was not typed as one, is sent with a hint how to run it", async () => {
  const told: string[] = [];
  const sent: string[] = [];
  const app = {
    ...{ words: en, transcript: { toEnd() {} }, questions: {}, queueKeys: { takes: () => false } },
    ...{ early: { hold: () => false }, contributed: { has: (name: string) => name === "status" } },
    session: { rights: { write: true } },
    conversation: { send: async ({ text }: { text: string }) => void sent.push(text) },
    tell: (text: string) => void told.push(text),
    attempt: (run: () => Promise<void>) => void run(),
  };
  const texts = ["/status", " /help\n", "/model a/b", "/etc/hosts", "say /status", "/status\nmore", "/nonsense"];
  const hinted = texts.filter((text) => {
    submit(app as never, { mode: "message", text, attachments: [] }, "follow_up");
    return told.splice(0).includes(en.sentAsText);
  });
  expect([hinted, sent]).toEqual([["/status", " /help\n"], texts]);
});

it("the key that unfolds cards does nothing while a question is open, which is drawn in full", () => {
  const toggled: string[] = [];
  const app = {
    questions: { shown: {} as object | undefined },
    looks: { toggle: (what: string) => toggled.push(what) },
  };
  const { expand } = basicActions(app as never);
  expand?.();
  expect(toggled).toEqual([]);
  app.questions.shown = undefined;
  expand?.();
  expect(toggled).toEqual(["isExpanded"]);
});
