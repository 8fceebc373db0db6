import type { OpenRequest } from "@scorel/host/client";
import { expect, it } from "vitest";
import { askedIn } from "../../../plugins/web/page/chat/asked.ts";
import { wordsOf } from "../../../plugins/web/page/words/words.ts";

const request: OpenRequest = {
  requestId: "1",
  plugin: "permissions",
  kind: "select",
  title: "Run this command?",
  body: [
    { display: "notice", level: "info", text: "$ rm a\ufe0f" },
    { display: "notice", level: "info", text: "Why you are asked: /etc/hosts is outside of the project" },
  ],
  options: [
    { value: "y", label: "yes, this once" },
    { value: "s", label: "yes, and in this session: this command" },
    { value: "n", label: "no (you can add a reason)" },
  ],
};

it("a question of Scorel's own is shown in the language of the person", () => {
  expect(askedIn(request, wordsOf(["zh-CN"]).words)).toEqual({
    title: "运行此命令？",
    asker: undefined,
    chosen: undefined,
    parts: [
      { display: "notice", level: "info", text: "$ rm a\\u{fe0f}" },
      { display: "notice", level: "info", text: "询问的原因：/etc/hosts 位于项目之外" },
    ],
    options: [
      { value: "y", label: "是，仅此一次", agrees: true },
      { value: "s", label: "是，并在本会话中允许：此命令", agrees: true },
      { value: "n", label: "否", agrees: false },
    ],
  });
  expect(askedIn(request, wordsOf(["en"]).words).options.map(({ label }) => label)).toEqual([
    "Yes, this once",
    "Yes, and in this session: this command",
    "No",
  ]);
});

it("a question of another author stays as it was asked", () => {
  const asked = askedIn({ ...request, plugin: "extension" }, wordsOf(["zh"]).words);
  expect([asked.title, asked.options[0]?.label]).toEqual(["Run this command?", "yes, this once"]);
});

it("a question of an extension says who asks, and highlights the answer that the terminal would choose", () => {
  const { words } = wordsOf(["en"]);
  const confirm: OpenRequest = { requestId: "1", plugin: "deploy\u202e", kind: "confirm", title: "Deploy?" };
  const of = (more: object) => askedIn({ ...confirm, ...more }, words);
  expect([of({}).asker && words.asks(of({}).asker as string), of({}).chosen]).toEqual([
    "asked by the plugin deploy\\u{202e}",
    undefined,
  ]);
  expect(of({ fallback: "n" }).chosen).toBe("n");
  const options = [{ value: "go", label: "go", kind: "allow_once" }];
  expect(of({ kind: "select", options, fallback: "go" }).chosen).toBeUndefined();
});
