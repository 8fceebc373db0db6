import fc from "fast-check";
import { expect, it } from "vitest";
import { Replies } from "../../../plugins/acp/replies.ts";
import { plainText } from "../../../plugins/kit/text/plain.ts";

const part = fc.constantFrom(
  "a",
  "word ",
  "\u001b[31m",
  "\u001b[0m",
  "\u001b]0;title\u0007",
  "\u0007",
  "😀",
  "\n",
  "`",
);

it("a text that arrives in any pieces is sent whole, once, and without control sequences", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(40), { maxLength: 20 }), (parts, cuts) => {
      const whole = parts.join("");
      const replies = new Replies();
      replies.start("m");
      let sent = "";
      let at = 0;
      for (const cut of cuts.map((each) => each + 1)) {
        const piece = replies.add("m", "text", whole.slice(at, at + cut));
        expect(Buffer.from(piece).toString()).toBe(piece);
        sent += piece;
        at += cut;
      }
      sent += replies.end("m", { text: whole, thinking: "" }).text;
      expect(sent).toBe(plainText(whole));
    }),
  );
});

it("a message that is announced again is not sent again, and one with a gap is completed at its end", () => {
  const replies = new Replies();
  replies.start("m");
  expect(replies.add("m", "text", "one ")).toBe("one ");
  replies.start("m");
  expect(replies.add("m", "text", "one two ")).toBe("two ");
  replies.miss();
  expect(replies.add("m", "text", "four ")).toBe("");
  expect(replies.end("m", { text: "one two three four ", thinking: "hm" })).toEqual({
    text: "three four ",
    thinking: "hm",
  });
});

it("a text that is stored in another form than it arrived stays as it was sent", () => {
  const replies = new Replies();
  replies.start("m");
  expect(replies.add("m", "text", "the key is abc")).toBe("the key is abc");
  expect(replies.end("m", { text: "the key is [redacted]", thinking: "" }).text).toBe("");
});

it("a long text that arrives in many pieces takes little time for each", () => {
  const replies = new Replies();
  replies.start("m");
  const began = performance.now();
  let length = 0;
  for (let piece = 0; piece < 100_000; piece++) length += replies.add("m", "text", "word ").length;
  expect(length).toBe(500_000);
  expect(performance.now() - began).toBeLessThan(5_000);
});
