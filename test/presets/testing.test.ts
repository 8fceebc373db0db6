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
});
