import { shapeProblems } from "@scorel/extensions/shape";
import { describe, expect, it } from "vitest";
import { knownWords } from "../../presets/composition/hints.ts";
import { exampleFiles } from "../docs/example-files.ts";
import { readExamples } from "../docs/examples.ts";

const head = 'id: "mine", name: "Mine", version: "1.0.0"';
const plain = (members: string) => `export default {\n  ${head},\n  ${members}\n};\n`;
const problems = (source: string) => shapeProblems("mine", source, knownWords);

describe("the text of an extension", () => {
  it.each([
    ["a field", plain("tool: () => [],"), 'line 3: "tool" is no field of a plugin. Did you mean "tools"?'],
    [
      "a method",
      plain("async onEvents(event) {},"),
      'line 3: "onEvents" is no field of a plugin. Did you mean "onEvent"?',
    ],
    [
      "a member of a class",
      'export default class {\n  id = "mine"\n  name = "Mine"\n  version = "1"\n  command() { return {} }\n}\n',
      'line 5: "command" is no field of a plugin. Did you mean "commands"?',
    ],
    [
      "a hook",
      plain("hooks: () => ({\n    beforeToolcall: { handler: () => undefined },\n  }),"),
      'line 4: there is no hook "beforeToolcall". Did you mean "beforeToolCall"?',
    ],
    ["a need", plain('needs: ["tools", "agnet"],'), 'line 3: there is no service "agnet". Did you mean "agent"?'],
    [
      "a type of a schema",
      plain('tools: () => [{ name: "a", parameters: {\n    properties: { b: { type: "strng" } } } }],'),
      'line 4: there is no type in JSON Schema "strng". Did you mean "string"?',
    ],
  ])("is told of %s that is misspelt, with its line and the nearest word", (_what, source, problem) => {
    expect(problems(source)).toEqual([problem]);
  });

  it.each([
    ["words of a comment and of texts", plain('// tool: 1\n  config: undefined, description: "{ tool: () => [] }",')],
    ["a helper beside what it helps", plain("tool: { name: 1 }, tools: () => [],")],
    ["members of members", plain("tools: () => [{ tool: 1, hook: 2 }],")],
    ["fields that are like none", plain("helper() { return /[{(]/.test(`{ tool:`); }, secret: 1,")],
  ])("is not blamed for %s", (_what, source) => {
    expect(problems(source)).toEqual([]);
  });

  it("has no slip in any example of the documentation", () => {
    const shown = [...exampleFiles(), ...readExamples()].map(({ id, source }) => [
      id,
      shapeProblems(id, source, knownWords),
    ]);
    expect(shown.filter(([, found]) => found?.length)).toEqual([]);
  });
});
