import { expect, it } from "vitest";
import { extensionFacts } from "../../../plugins/extensions/checks/facts.ts";
import { reviewOf } from "../../../plugins/extensions/checks/review.ts";
import { slipsIn } from "../../../plugins/extensions/checks/slips.ts";
import { knownWords } from "../../../plugins/extensions/words.ts";

const none = { hooks: [], contributes: [], provides: [], replaces: [], host: false, imports: [] };

it.each([
  [
    "contributions in every form",
    "tools: () => [], commands(ctx) { }, async onEvent() {}, cliCommands: async (ctx) => [], operations: function () {}, promptParts: ctx => []",
    { ...none, contributes: ["tools", "commands", "promptParts", "cliCommands", "operations", "onEvent"] },
  ],
  [
    "what activate returns, in every form",
    '{ id: "x", async activate(ctx) { const names = []; return { tools: [], commands, operations: make(ctx), hooks: { beforeToolCall() {} } }; } }',
    { ...none, contributes: ["tools", "commands", "operations"], hooks: ["beforeToolCall"] },
  ],
  [
    "what an arrow returns",
    '{ id: "x", activate: () => ({ promptParts: [] }) }',
    { ...none, contributes: ["promptParts"] },
  ],
  [
    "no setting of that name",
    "config: z.object({ commands: z.array(z.string()), tools: z.string(), operations: names })",
    none,
  ],
  [
    "hooks by their names",
    "hooks: () => ({ async beforeToolCall() {}, transformContext: { critical: true, handler() {} } })",
    { ...none, hooks: ["beforeToolCall", "transformContext"] },
  ],
  [
    "services that it provides and what it replaces",
    'provides: ["model", "other"],\n  replaces: [\'Bash\'],',
    { ...none, provides: ["model", "other"], replaces: ["Bash"] },
  ],
  [
    "all texts of its lists, also those with brackets and quotation marks",
    'provides: ["]", "it\'s", "", "a\\"b", "model"],\n  replaces: ["permissions", "[", ...others(["Bash"]), "Read"],',
    { ...none, provides: ["]", "it's", 'a\\"b', "model"], replaces: ["permissions", "[", "Bash"] },
  ],
  ["the host that it wants to run in", 'scope: "host"', { ...none, host: true }],
  [
    "modules once, own files and comments left out",
    'import a from "a";\nimport "node:fs";\nconst b = await import("@x/b");\nconst c = require(\'a\');\nimport d from "./d.ts";\n// import "hidden"\n/* scope: "host" */',
    { ...none, imports: ["@x/b", "a", "node:fs"] },
  ],
  [
    "what follows texts and comments with signs of comments",
    'const accept = "image/*";\n// all of src/*\nimport "a"; // not b/*\nconst c = [`src/*`, /[/*]/, "//"]; import "c"; // import "d"\nhooks: () => ({ beforeToolCall() {} }),\nscope: "host", /* provides: ["e"] */ replaces: ["Bash"]',
    { ...none, imports: ["a", "c"], hooks: ["beforeToolCall"], host: true, replaces: ["Bash"] },
  ],
  [
    "what follows a regular expression that looks like a comment without an end",
    'const all = "a" + /\\/*/.source;\nimport "a";\nscope: "host"',
    { ...none, imports: ["a"], host: true },
  ],
])("the source of an extension shows %s", (_, source, expected) => {
  expect(extensionFacts(source)).toEqual(expected);
});

it("reads a hostile source in one pass", () => {
  // A search that begins again at each character would not finish, and one that calls itself for each bracket would fail.
  for (const begin of ["", "export default ", "export {", "export default { id ", "{ activate"])
    for (const part of [
      "\n",
      " ",
      "a",
      "/*",
      "(",
      '\\"',
      "`\\",
      "=/[",
      "export {",
      "provides=[",
      "provides=['",
      "import ",
      "activate: ",
    ]) {
      const source = begin + part.repeat(Math.ceil(50_000 / part.length));
      expect(reviewOf("x", [{ path: "x.ts", source }], "other")).toHaveLength(1);
    }
});

it("reads each of many nested objects in one pass", () => {
  const source = `export default { id, activate() { ${"return {a:".repeat(50_000)}`;
  expect(extensionFacts(source)).toEqual(none);
});

it("looks for tools in a hostile source in one pass", () => {
  // A division sign hides that the rest is a regular expression, so that the brackets in it seem to have no end.
  const source = `export default { id: "x", name: "X", version: "1" };\nif (1) /${"\\{".repeat(100_000)}/.test("");`;
  expect(slipsIn(source, knownWords)).toEqual([]);
});
