import { shapeProblems } from "@scorel/extensions/shape";
import { describe, expect, it } from "vitest";
import { knownWords } from "../../../plugins/extensions/words.ts";
import { exampleFiles } from "../../docs/example-files.ts";
import { readExamples } from "../../docs/examples.ts";

const head = 'id: "mine", name: "Mine", version: "1.0.0"';
const plain = (members: string) => `export default {\n  ${head},\n  ${members}\n};\n`;
const problems = (source: string) => shapeProblems("mine", source, knownWords);

describe("the check of an extension's source", () => {
  it.each([
    ["a field", plain("tool: () => [],"), 'line 3: "tool" is not a field of a plugin. Did you mean "tools"?'],
    [
      "a method",
      plain("async onEvents(event) {},"),
      'line 3: "onEvents" is not a field of a plugin. Did you mean "onEvent"?',
    ],
    [
      "a member of a class",
      'export default class {\n  id = "mine"\n  name = "Mine"\n  version = "1"\n  command() { return {} }\n}\n',
      'line 5: "command" is not a field of a plugin. Did you mean "commands"?',
    ],
    [
      "a hook",
      plain("hooks: () => ({\n    beforeToolcall: { handler: () => undefined },\n  }),"),
      'line 4: there is no hook "beforeToolcall". Did you mean "beforeToolCall"?',
    ],
    [
      "a part of a hook's name",
      plain("hooks: () => ({ aproveToolCall: () => {},\n    beforeTool: () => {} }),"),
      [
        'line 3: there is no hook "aproveToolCall". Did you mean "approveToolCall"?',
        'line 4: there is no hook "beforeTool". Did you mean "beforeToolCall"?',
      ],
    ],
    [
      "a list that is a string",
      plain('needs: "workspace",'),
      'line 3: "needs" must be a list of strings, as in: needs: ["agent"]',
    ],
    [
      "a contribution without the scope that it needs",
      plain("cliCommands: () => [],"),
      'line 3: only plugins with scope: "host" are asked for "cliCommands".',
    ],
    [
      "a field by the name that it has elsewhere",
      plain("deps: [],"),
      'line 3: "deps" is not a field of a plugin. Did you mean "needs"?',
    ],
    [
      "a field like none",
      plain("wether: 1,"),
      'line 3: "wether" is not a field of a plugin. Your own names begin with _.',
    ],
    ["a need", plain('needs: ["tools", "agnet"],'), 'line 3: there is no service "agnet". Did you mean "agent"?'],
    [
      "a hook that activate returns",
      plain("async activate(ctx) {\n    return { hooks: { beforeToolcall() {} } };\n  },"),
      'line 4: there is no hook "beforeToolcall". Did you mean "beforeToolCall"?',
    ],
    [
      "a type of a schema",
      plain('tools: () => [{ name: "a", parameters: {\n    properties: { b: { type: "strng" } } } }],'),
      'line 4: there is no type in JSON Schema "strng". Did you mean "string"?',
    ],
  ])("finds %s that is misspelt, with its line and the nearest word", (_what, source, problem) => {
    expect(problems(source)).toEqual([problem].flat());
  });

  it("finds every mistake in a tool and in a hook's layer at once", () => {
    const tool =
      '{ name: "x",\n    descripton: "d",\n    paramters: { properties: { nam: {}, descripton: {} } },\n    exceute() {} }';
    const layer = "{\n    handlr() {}, critcal: true }";
    expect(
      problems(plain(`tools: () => [${tool}],\n  hooks: () => ({ beforeToolCall: ${layer}, afterToolCall: {} }),`)),
    ).toEqual([
      'line 4: "descripton" is not a field of a tool. Did you mean "description"?',
      'line 5: "paramters" is not a field of a tool. Did you mean "parameters"?',
      'line 6: "exceute" is not a field of a tool. Did you mean "execute"?',
      'line 8: "handlr" is not a field of a hook\'s layer. Did you mean "handler"?',
      'line 8: "critcal" is not a field of a hook\'s layer. Did you mean "critical"?',
      'line 8: the hook "afterToolCall" is empty. It takes a function, or { handler: a function }.',
    ]);
  });

  it("finds mistakes in a tool that is written outside of the plugin, and members that are not functions", () => {
    const tool = 'const tool = { name: "x", description: "d", prameters: {}, execute() {} };\n';
    expect(problems(`${tool}${plain("hooks: {},\n  tools: [tool],")}`)).toEqual([
      'line 4: "hooks" must be a function, as in: hooks: (ctx) => …',
      'line 5: "tools" must be a function, as in: tools: (ctx) => …',
      'line 1: "prameters" is not a field of a tool. Did you mean "parameters"?',
    ]);
  });

  it.each(["", "const plugin = "])("reads the exported object, not another one with the same fields (%s)", (name) => {
    const call = '{ type: "toolCall", id: "1", name: "Read", version: "1", tool: 1 }';
    const exported = `{ ${head}, tool: () => [] }`;
    const source = name === "" ? `export default ${exported}` : `${name}${exported};\nexport default plugin`;
    expect(problems(`const call = ${call};\n${source};\n`)).toEqual([
      'line 2: "tool" is not a field of a plugin. Did you mean "tools"?',
    ]);
    expect(problems(`const call = ${call};\nexport default { id: "mine" };\n`)).toEqual([
      'it names no "name"',
      'it names no "version"',
    ]);
  });

  it.each([
    ["words of a comment and of texts", plain('// tool: 1\n  config: undefined, description: "{ tool: () => [] }",')],
    ["a helper beside what it helps", plain("_tool: { name: 1 }, tools: () => [],")],
    ["members of members", plain("tools: () => [{ tool: 1, hook: 2 }],")],
    ["values that activate returns", plain("activate: () => ({ tools: [], hooks: {}, commands: {} }),")],
    ["fields of one's own", plain("_helper() { return /[{(]/.test(`{ tool:`); }, _secret: 1,")],
    [
      "members of a class that are like none",
      'export default class {\n  id = "mine"\n  name = "Mine"\n  version = "1"\n  deps = 1\n  help() {}\n}\n',
    ],
    ["a text before it that looks like a comment", `const accept = "image/*"; // all of src/*\n${plain("")}`],
  ])("accepts %s", (_what, source) => {
    expect(problems(source)).toEqual([]);
  });

  it("finds no mistake in any example of the documentation", () => {
    const shown = [...exampleFiles(), ...readExamples()].map(({ id, source }) => [
      id,
      shapeProblems(id, source, knownWords),
    ]);
    expect(shown.filter(([, found]) => found?.length)).toEqual([]);
  });
});
