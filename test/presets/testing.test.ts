import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openSession, toolCall } from "../../presets/testing/index.ts";

const weather = definePlugin({
  id: "weather",
  name: "Weather",
  version: "1.0.0",
  config: z.strictObject({ unit: z.string().default("C") }),
  tools: ({ config: { unit } }) => [
    {
      name: "Weather",
      description: "Tells the weather of a city",
      parameters: z.object({ city: z.string() }),
      execute: async (_id, { city }) => ({ content: [{ type: "text", text: `20 ${unit} in ${city}` }] }),
    },
  ],
  commands: ({ ui }) => ({
    city: async (line: string) => ((await ui.confirm(`Move to ${line}?`)) ? `in ${line}` : "stayed"),
  }),
});

describe("a session for the tests of an extension", () => {
  it("runs turns with a scripted model and the extension's tools", async () => {
    await using session = await openSession({
      plugins: [weather],
      replies: [["Let me see.", toolCall("Weather", { city: "Rome" })], "It is warm."],
    });
    expect(await session.send("How is Rome?")).toEqual({
      reason: "completed",
      text: "It is warm.",
      results: [{ tool: "Weather", text: "20 C in Rome", isError: false }],
    });
    expect(session.requests.map(({ tools }) => tools)).toEqual([["Weather"], ["Weather"]]);
    expect(session.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    expect(session.failures).toEqual([]);
  });

  it("gives plugins their configuration, and loads more of Scorel's own", async () => {
    await using session = await openSession({
      plugins: [weather],
      use: ["local", "coding"],
      config: { weather: { unit: "F" } },
      replies: [
        [toolCall("Weather", { city: "Rome" }), toolCall("Write", { file_path: "a.txt", content: "a" })],
        "Done.",
      ],
    });
    expect((await session.send("Go.")).results).toMatchObject([
      { text: "20 F in Rome" },
      { tool: "Write", isError: false },
    ]);
  });

  it("runs commands, and answers their questions", async () => {
    await using yes = await openSession({
      plugins: [weather],
      answer: ({ title }) => (title === "Move to Rome?" ? "y" : "n"),
    });
    await using nobody = await openSession({ plugins: [weather] });
    expect([
      await yes.command("/city Rome"),
      await yes.command("city Paris"),
      await nobody.command("/city Rome"),
    ]).toEqual([{ output: "in Rome" }, { output: "stayed" }, { output: "stayed" }]);
  });

  it("tells which plugin failed, and contains it", async () => {
    const broken = definePlugin({
      id: "broken",
      name: "Broken",
      version: "1.0.0",
      hooks: () => ({
        transformContext: () => {
          throw new Error("no idea");
        },
      }),
    });
    await using session = await openSession({ plugins: [broken], replies: ["Hello."] });
    expect(await session.send("Hi.")).toMatchObject({ reason: "completed", text: "Hello." });
    expect(session.failures).toMatchObject([{ plugin: "broken", where: "transformContext", message: "no idea" }]);
  });

  it("says that a reply is missing, and which plugin is unknown", async () => {
    await using session = await openSession({ plugins: [weather], replies: [toolCall("Weather", { city: "Rome" })] });
    expect(await session.send("How is Rome?")).toMatchObject({
      reason: "error",
      error: {
        message: expect.stringContaining('The model was asked for reply 2, but the test has 1. Add one to "replies".'),
      },
    });
    await expect(openSession({ plugins: [], use: ["codnig"] })).rejects.toMatchObject({ code: "TESTING_PLUGIN" });
  });

  it("lists its events, and runs operations", async () => {
    await using session = await openSession({ plugins: [], replies: ["Hello."] });
    await session.send("Hi.");
    const types = (await session.events()).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["prompt_submit", "message", "text_delta", "turn_finish"]));
    expect(await session.request("get_status")).toMatchObject({ running: false });
  });

  const plain = { id: "plain", name: "Plain", version: "1.0.0" };
  it.each([
    [
      "misspelt hook",
      [{ ...plain, hooks: () => ({ beforeToolcall: () => undefined }) }],
      'Did you mean "beforeToolCall"?',
    ],
    [
      "activate that throws",
      [
        {
          ...plain,
          activate: () => {
            throw new Error("no socket");
          },
        },
      ],
      "no socket",
    ],
    ["need that nothing provides", [{ ...plain, needs: ["agnet"] }], 'needs the service "agnet"'],
    [
      "unknown field",
      [{ ...plain, tool: () => [] }],
      'has a field "tool", which is not supported: did you mean "tools"?',
    ],
    ["wrong field", [{ ...plain, needs: "agent" }], 'its "needs" is not a list of strings'],
    ["id that is used twice", [plain, { ...plain }], '"plain"'],
    [
      "host plugin that throws",
      [
        {
          ...plain,
          scope: "host",
          activate: () => {
            throw new Error("no port");
          },
        },
      ],
      "no port",
    ],
    [
      "member of ctx that is elsewhere",
      [{ ...plain, activate: (ctx: object) => Reflect.get(ctx, "on") }],
      "uses ctx.on, which does not exist. Use the field",
    ],
    ["command that is none", [{ ...plain, commands: () => ({ bad: 5 }) }], "/bad"],
    [
      "misspelt field of a command",
      [{ ...plain, commands: () => ({ greet: { run: () => "hi", sumary: "x" } }) }],
      'the command "greet" has a field "sumary", which is not supported: did you mean "summary"?',
    ],
    [
      "field of a tool by the name that it has elsewhere",
      [
        {
          ...plain,
          activate: () => ({ tools: [{ name: "A", description: "a", input_schema: {}, execute: () => "" }] }),
        },
      ],
      'the tool "A" has a field "input_schema", which is not supported: did you mean "parameters"?',
    ],
    [
      "wrapper that is not a function",
      [{ ...plain, toolWrappers: () => ({ Bash: "x" }) }],
      'the wrapper of tool "Bash" is not a function',
    ],
    [
      "wrapper of an unknown service",
      [{ ...plain, serviceWrappers: () => ({ filez: () => ({}) }) }],
      'there is no service "filez": did you mean "files"?',
    ],
    [
      "display that is not a function",
      [{ ...plain, displays: () => ({ a: 5 }) }],
      'the display of "a" is not a function',
    ],
    ["marked word that is a text", [{ ...plain, markedWords: () => ["x"] }], "is not an object"],
    [
      "provider without models",
      [{ ...plain, providers: () => ({ acme: { baseUrl: "https://x.test" } }) }],
      'the provider "acme" has no list or function "models"',
    ],
    [
      "misspelt field of an operation of the host",
      [{ ...plain, scope: "host", operations: () => ({ "plain.a": { params: {}, runn: () => 1 } }) }],
      '"plain.a" has a field "runn", which is not supported: did you mean "run"?',
    ],
    [
      "contribution that sessions are not asked for",
      [{ ...plain, cliCommands: () => [] }],
      'only plugins with scope: "host" are asked for it',
    ],
    [
      "event whose schema is misspelt",
      [{ ...plain, events: { note: { schem: z.object({}) } } }],
      'its event "note" has no "schema" that is a zod schema; it has "schem", which is probably meant',
    ],
    [
      "projection that cannot work",
      [{ ...plain, projections: { n: { over: "logg", init: 0, update: () => 0 } } }],
      'its projection "n" is over neither "log" nor "path"; ',
    ],
  ])("does not open with an extension that has a %s", async (_what, plugins, told) => {
    await expect(openSession({ plugins: plugins as never })).rejects.toMatchObject({
      code: "TESTING_START",
      message: expect.stringContaining(told),
    });
  });

  it.each(["host", "session"])("says once which extension failed in start, and why (scope %s)", async (scope) => {
    const activate = () => Promise.reject(new Error("no socket"));
    await expect(openSession({ plugins: [{ ...plain, scope, activate }] as never })).rejects.toMatchObject({
      code: "TESTING_START",
      message: 'The session did not start as its extensions require: Plugin "plain" failed in start: no socket',
    });
  });

  it.each([
    ["y, n", () => "yes", '"yes" is not one of the answers to this question: y, n.'],
    [
      "an error",
      () => {
        throw new Error("not scripted");
      },
      "not scripted",
    ],
  ])("throws what is wrong with the answer to a question, and goes on (%s)", async (_what, answer, message) => {
    let asked = 0;
    await using session = await openSession({ plugins: [weather], answer: () => (asked++ === 0 ? answer() : "y") });
    await expect(session.command("/city Rome")).rejects.toThrow(message);
    expect(await session.command("/city Rome")).toEqual({ output: "in Rome" });
  });

  it("tells all mistakes in its options at once", async () => {
    const options = { plugin: [weather], replys: [], replies: [5, ["a", {}]], use: "coding", confg: {} };
    await expect(openSession(options as never)).rejects.toMatchObject({
      code: "TESTING_OPTIONS",
      data: {
        flaws: [
          'there is no option "plugin" (did you mean "plugins"?)',
          'there is no option "replys" (did you mean "replies"?)',
          'there is no option "confg" (did you mean "config"?)',
          '"plugins" is not a list of plugins',
          "reply 1 is neither a text nor toolCall(…), nor a list of these",
          "reply 2 is neither a text nor toolCall(…), nor a list of these",
          '"use" is not a list of plugin ids',
        ],
      },
    });
  });

  it("names the nearest operation", async () => {
    await using session = await openSession({ plugins: [] });
    await expect(session.request("get_statos" as never)).rejects.toThrow('Did you mean "get_status"?');
  });
});
