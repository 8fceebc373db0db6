import { expect, it } from "vitest";
import { extensionFacts } from "../../../plugins/extensions/checks/facts.ts";

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
  ["the host that it wants to run in", 'scope: "host"', { ...none, host: true }],
  [
    "modules once, own files and comments left out",
    'import a from "a";\nimport "node:fs";\nconst b = await import("@x/b");\nconst c = require(\'a\');\nimport d from "./d.ts";\n// import "hidden"\n/* scope: "host" */',
    { ...none, imports: ["@x/b", "a", "node:fs"] },
  ],
])("the source of an extension shows %s", (_, source, expected) => {
  expect(extensionFacts(source)).toEqual(expected);
});
