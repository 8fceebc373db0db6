import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const asClass = readFileSync(fileURLToPath(new URL("../fixtures/seed-extension.ts", import.meta.url)), "utf8");
/** The same extension as an object, like the one that `new Greeter()` returns. */
const asObject = `${asClass.replace("export default class", "class")}\nexport default new Greeter();\n`;
const asFunction = `${asClass.replace("export default class", "class")}\nexport default () => new Greeter();\n`;

const told = (s: Scratch) => records(join(s.home, "told.jsonl"));
const toolResults = (body: { messages: { role: string; content: string }[] }) =>
  body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);

describe("an extension written for the founding document's interface", () => {
  it.each([
    ["a class", asClass],
    ["an object", asObject],
    ["a function", asFunction],
  ])("works unchanged as %s: tools, command, guard, listener, steering, context", async (_form, source) => {
    using s = scratch();
    await using server = await startModelServer([
      [
        toolCall("greet_typebox", { who: "Ann" }),
        toolCall("greet_schema", { who: "Ben" }),
        toolCall("greet_zod", { who: "Cem" }),
        toolCall("greet_zod", { who: "nobody" }),
        toolCall("greet_schema", { wrong: true }),
        toolCall("greet_typebox", { who: ["no", "name"] }),
        toolCall("greet_zod", {}),
      ],
      text("done"),
    ]);
    s.useModel(server.baseUrl);
    s.file("~/.scorel/extensions/greeter.ts", source);
    const chat = await s.run(["chat", "--verbose"], { input: "greet them\n/back please\n" });
    expect([chat.code, chat.stdout]).toEqual([0, expect.stringContaining("went back, please")]);
    expect(chat.stderr.match(/.*the greeter.*/g)).toEqual(["scorel: info: the greeter is here"]);
    const [first, second] = server.requests.map(({ body }) => body);
    expect(first.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(
      expect.arrayContaining(["greet_typebox", "greet_schema", "greet_zod"]),
    );
    expect(first.messages.at(-1)).toMatchObject({ role: "user", content: "(context added by the extension)" });
    const results = toolResults(second);
    expect(second.messages).toContainEqual({ role: "user", content: "mind the gap" });
    expect(results.map((result) => result.split("\n")[0])).toEqual([
      "hello Ann",
      "hello Ben",
      "hello Cem",
      "nobody is not greeted",
      'Validation failed for tool "greet_schema":',
      'Validation failed for tool "greet_typebox":',
      'Validation failed for tool "greet_zod":',
    ]);
    expect(told(s)).toEqual([
      { activated: true, frozen: true, secretFree: true },
      { heard: "session_start" },
      { started: { who: "Cem" } },
      { started: { who: "nobody" } },
      { started: {} },
      { turnFinished: true },
      { rewoundToRoot: true },
      { heard: "session_end" },
      { deactivated: true },
    ]);
  });
});
