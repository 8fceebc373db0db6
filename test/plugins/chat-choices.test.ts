import type { OpenRequest } from "@scorel/requests/contract";
import { describe, expect, it } from "vitest";
import { hint, readAnswer, shownQuestion } from "../../plugins/chat/choices.ts";
import { StatusTexts } from "../../plugins/chat/status-texts.ts";

const asked = (request: Partial<OpenRequest>): OpenRequest => ({
  requestId: "r1",
  plugin: "asker",
  kind: "select",
  title: "Where to?",
  ...request,
});
const places = asked({
  options: [
    { value: "staging", label: "staging" },
    { value: "live", label: "Production (eu)" },
    { value: "stand-by", label: "Stand-by" },
  ],
});
const permission = asked({
  options: [
    { value: "y", label: "yes" },
    { value: "n", label: "no" },
  ],
});

describe("a typed answer", () => {
  it.each([
    ["its value", "live", "live"],
    ["its label, in any case", "production (EU)", "live"],
    ["its number", " 3 ", "stand-by"],
    ["the beginning of its label", "prod", "live"],
    ["the beginning of its value", "stag", "staging"],
    ["a value with a reason behind it", "live it is", "live"],
  ])("may be %s", (_, line, answer) => expect(readAnswer(places, line)?.answer).toBe(answer));

  it.each([
    ["a beginning that two have", "sta"],
    ["a number that none has", "4"],
    ["nothing, without a default", ""],
    ["anything else", "moon"],
  ])("is invalid if it is %s", (_, line) => expect(readAnswer(places, line)).toBeUndefined());

  it("is the default when empty", () =>
    expect(readAnswer({ ...places, fallback: "live" }, "  ")).toEqual({ answer: "live" }));

  it("needs the exact letter where letters are offered: numbers and prefixes of labels are invalid", () => {
    expect(["1", "ye", ""].map((line) => readAnswer(permission, line))).toEqual([undefined, undefined, undefined]);
    expect(readAnswer(permission, "n try the script")).toEqual({ answer: "n", reason: "try the script" });
    expect(["y but not now", "y, go"].map((line) => readAnswer(permission, line))).toEqual([undefined, undefined]);
  });

  it("is any text where text is asked for", () =>
    expect(readAnswer(asked({ kind: "input" }), "/tmp/a b")).toEqual({ answer: "/tmp/a b" }));
});

describe("a question on the screen", () => {
  it("names its plugin, numbers words, and says what Enter does", () => {
    expect(shownQuestion({ ...places, fallback: "live" })).toEqual({
      text: "Where to? (asker)\n  1 staging\n  2 Production (eu)\n  3 Stand-by",
      prompt: "[1-3; Enter: Production (eu)] ",
    });
    expect(hint(asked({ kind: "confirm", fallback: "n" }))).toBe("[y, n; Enter: n]");
  });
});

describe("status texts of plugins", () => {
  it("are printed when they change, at most once a second for each plugin, and completely at the end", () => {
    let now = 0;
    const standing = new StatusTexts(() => now);
    const heard = [
      standing.update({ plugin: "a", text: "1" }),
      standing.update({ plugin: "a", text: "1" }),
      standing.update({ plugin: "a", text: "2" }),
      standing.update({ plugin: "b", text: "x" }),
    ];
    now = 1_000;
    heard.push(standing.update({ plugin: "a", text: "3" }), standing.update({ plugin: "b" }));
    heard.push(standing.update({ plugin: "coding", text: "1 command", shipped: true }));
    expect(heard).toEqual(["· a: 1", undefined, undefined, "· b: x", "· a: 3", undefined, "· 1 command"]);
    expect(standing.parts()).toEqual(["a: 3", "1 command"]);
  });
});
