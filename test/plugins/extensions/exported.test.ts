import { describe, expect, it } from "vitest";
import { exportedId, exportedPlugin } from "../../../plugins/extensions/checks/exported.ts";

const call = 'const call = { type: "toolCall", id: "1", name: "Read", version: "2" };\n';
const mine = '{ id: "mine", name: "Mine", version: "1.0.0" }';

describe("the plugin that a file exports", () => {
  it.each([
    ["an object", `export default ${mine};`],
    ["a defined plugin", `export default definePlugin(${mine});`],
    ["a defined plugin with types", `export default definePlugin<Config, "agent">(${mine});`],
    ["a named object", `const plugin: Plugin = ${mine};\nexport default plugin;`],
    ["a named object with a type behind it", `const plugin = ${mine} satisfies Plugin;\nexport { plugin as default };`],
    ["a frozen object", `export default Object.freeze(${mine});`],
    ["an arrow function", `export default (): Plugin => (${mine});`],
    [
      "an asynchronous function",
      `export default async function make() { const f = () => { return { id: "2" } }; return ${mine}; }`,
    ],
    ["a function called by name", `function make(id: string) { return ${mine}; }\nexport default make("x");`],
    ["a class", 'export default class Mine { readonly id = "mine"; name = "Mine"; version = "1.0.0" }'],
    ["an instance", 'class Mine { id: string = "mine"; name = "Mine"; version = "1.0.0" }\nexport default new Mine();'],
    ["a CommonJS module", `module.exports = ${mine};`],
    ["a constant", 'const ID = "mine";\nexport default { id: ID, name: "Mine", version: "1.0.0" };'],
    ["a shorthand", 'const id = "mine";\nexport default { name: "Mine", version: "1.0.0", id };'],
  ])("has the id of %s, and not that of another object in the file", (_what, source) => {
    expect([exportedId(call + source), exportedId(source + call)]).toEqual(["mine", "mine"]);
  });

  it.each([
    ["made elsewhere", `import plugin from "./plugin.ts";\n${call}export default plugin;`],
    ["a circle", `const a = b; const b = a;\n${call}export default a;`],
    ["an id that is computed", `${call}export default { id: "a".repeat(2), name: "A", version: "1" };`],
  ])("has no id that could be read: %s", (_what, source) => {
    expect(exportedId(source)).toBeUndefined();
  });

  it("knows whether all members are written out", () => {
    const whole = (source: string) => exportedPlugin(source)?.isWhole;
    expect(whole(`export default ${mine}`)).toBe(true);
    expect(whole(`export default { ...base, tools: () => [] }`)).toBe(false);
    expect(whole(`export default { id: "a", tools: () => [...given] }`)).toBe(true);
    expect(whole("export default class Mine { id = 1 }")).toBe(false);
  });
});
