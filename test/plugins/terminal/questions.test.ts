import type { OpenRequest } from "@scorel/host/client";
import { expect, it } from "vitest";
import type { Answer } from "../../../plugins/terminal/app/question.ts";
import { Questions } from "../../../plugins/terminal/app/questions.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

function open() {
  let now = 10_000;
  const given: [string, Answer][] = [];
  const keys = createKeys();
  const questions = new Questions({
    words: en,
    give: (requestId, answer) => void given.push([requestId, answer]),
    field: () => undefined,
    now: () => now,
  });
  return {
    questions,
    given,
    press: (key: string) => questions.press(key, keys),
    wait: (ms: number) => {
      now += ms;
    },
    rows: () => questions.shown?.render(80, 20, { theme: themeOf("none", none), words: en, keys }, 0) ?? [],
  };
}
const asked = (requestId: string, more: Partial<OpenRequest> = {}): OpenRequest => ({
  requestId,
  plugin: "permissions",
  kind: "confirm",
  title: `Run ${requestId}?`,
  ...more,
});

it("a question takes a key once it has been on the screen for a while", () => {
  const t = open();
  t.questions.update([asked("a")]);
  t.wait(200);
  expect(t.press("y")).toBe(false);
  t.wait(100);
  expect([t.press("y"), t.given]).toEqual([true, [["a", { answer: "y" }]]]);
});

it("a question in place of one that was withdrawn says so, and waits longer for a key", () => {
  const t = open();
  t.questions.update([asked("a")]);
  t.wait(1_000);
  t.questions.update([]);
  t.wait(30);
  t.questions.update([asked("b")]);
  expect(t.rows()[0]).toContain(en.anotherQuestion);
  t.wait(1_400);
  expect([t.press("y"), t.given]).toEqual([false, []]);
  t.wait(200);
  expect([t.press("y"), t.given]).toEqual([true, [["b", { answer: "y" }]]]);
  t.questions.update([asked("c")]);
  expect(t.rows()[0]).toContain("Run c?");
  t.wait(300);
  expect(t.press("n")).toBe(true);
});

it("text that was typed for a withdrawn question does not answer the next one at once", () => {
  const t = open();
  t.questions.update([asked("a", { kind: "input" })]);
  t.wait(1_000);
  t.questions.update([asked("b", { kind: "input" })]);
  t.wait(200);
  expect([t.questions.type("rm"), t.given]).toEqual([false, []]);
  t.wait(1_400);
  expect([t.questions.type("rm"), t.given]).toEqual([true, [["b", { answer: "rm" }]]]);
});
