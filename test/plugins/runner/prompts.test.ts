import { describe, expect, it } from "vitest";
import { interactionIn, patienceFor } from "../../../plugins/runner/interactive/prompts.ts";

const asked = (stdout: string) => interactionIn({ stdout, stderr: "", last: "stdout" });
const prompt = (hint: string) => ({ needs_input: true, kind: "prompt", hint });

describe("the end of a program's output", () => {
  it.each(["Go on [y/N]", "Go on (yes|no)", "[a] b [c/d]", "((y/n)", "Name?", ">>>", "...", "sh$"])(
    "%j asks for something",
    (text) => expect(asked(`Hello\n${text} `)).toEqual(prompt(text)),
  );

  it.each(["[1/3] done", "[y/N", "y/N]", "a/b (c)", "(a/b] c)", "[]", "/[]", "100%", "working"])(
    "%j does not",
    (text) => expect(asked(`Hello\n${text}`)).toBeUndefined(),
  );

  it("is looked at quickly, whatever it is", () => {
    const hostile = [
      "[/".repeat(1_024),
      "[".repeat(1_024) + "/".repeat(1_024),
      `${"?".repeat(1_024)}${" ".repeat(1_023)}x`,
    ];
    const begun = performance.now();
    for (const stdout of hostile) patienceFor({ stdout, stderr: stdout, last: "stdout" }, 1_000);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
