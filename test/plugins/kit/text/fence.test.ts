import { expect, it } from "vitest";
import { fenced } from "../../../../plugins/kit/text/fence.ts";

it.each([
  ["words", "", "```\nwords\n```"],
  ["`code`", "a.ts", "```a.ts\n`code`\n```"],
  ["```\ninner\n```", "", "````\n```\ninner\n```\n````"],
])("puts %j into a code block that it cannot end", (text, info, block) => {
  expect(fenced(text, info)).toBe(block);
});
