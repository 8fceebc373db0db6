import { expect, it } from "vitest";
import { counted, lastLines } from "../../../plugins/web/page/chat/counted.ts";

const words = { emptyLines: (count: number) => `${count} empty lines`, spaces: (count: number) => `${count} spaces` };
const notice = (text: string) => [{ display: "notice", level: "info", text }] as const;

it("many empty lines and spaces of a question are counted, and few stay", () => {
  expect(counted(`$ echo a${"\n".repeat(400)}touch b`, words)).toBe("$ echo a\n⋯ 399 empty lines ⋯\ntouch b");
  expect(counted(`a${"\n \t".repeat(400)}\nb`, words)).toBe("a\n⋯ 400 empty lines ⋯\nb");
  expect(counted(`a${" ".repeat(300)}b`, words)).toBe("a ⋯ 300 spaces ⋯ b");
  expect(counted("a\n\n\n\n    b", words)).toBe("a\n\n\n\n    b");
});

it("the last lines of a question are its last words, however far behind they stand", () => {
  expect(lastLines(notice(`$ echo a${"\n".repeat(400)}touch b\n\n`), words)).toBe(
    "$ echo a\n⋯ 399 empty lines ⋯\ntouch b",
  );
  expect(lastLines(notice("1\n2\n3\n4"), words)).toBe("2\n3\n4");
  expect(lastLines(notice(`${"x".repeat(999)}; touch b`), words)).toBe(`…${"x".repeat(231)}; touch b`);
  expect(lastLines([], words)).toBe("");
});
