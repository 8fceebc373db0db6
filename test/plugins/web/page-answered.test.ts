import { afterEach, expect, it, vi } from "vitest";
import { Field } from "../../../plugins/web/page/chat/field.ts";
import { showAnswer } from "../../../plugins/web/page/chat/show-answer.ts";
import { wordsOf } from "../../../plugins/web/page/words/words.ts";

afterEach(() => void vi.unstubAllGlobals());

/** Runs a command that copies a text in a browser with this clipboard, and returns the message that the page shows above the field. */
async function saidWith(clipboard: object | undefined) {
  vi.stubGlobal("navigator", { clipboard });
  const field = new Field("s1");
  await showAnswer(field, { copy: "one\ntwo" }, wordsOf(["en"]).words);
  return field.said.get();
}

it("a command that copies is done, whether the browser allows copying or not", async () => {
  const taken: string[] = [];
  const refusal = { text: "The browser did not allow copying.", isProblem: true };
  expect([
    await saidWith({ writeText: async (text: string) => void taken.push(text) }),
    await saidWith({ writeText: () => Promise.reject(new DOMException("not focused", "NotAllowedError")) }),
    // A page that was loaded over http from another computer has no clipboard.
    await saidWith(undefined),
  ]).toEqual([{ text: "Copied 7 characters: one" }, refusal, refusal]);
  expect(taken).toEqual(["one\ntwo"]);
});
