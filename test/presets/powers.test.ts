import { describe, expect, it } from "vitest";
import { type Place, place } from "./place.ts";
import { type Desk, desk } from "./session-desk.ts";

const head = 'import { definePlugin } from "@scorel/kernel";\nimport { z } from "zod";\n';
const plugin = (id: string, body: string) =>
  `${head}export default definePlugin({ id: "${id}", name: "Mine", version: "1.0.0", ${body} });\n`;

/** A session in which these extensions run. */
async function opened(at: Place, extensions: Record<string, string>): Promise<{ d: Desk; sessionId: string }> {
  for (const [id, body] of Object.entries(extensions)) at.file(`~/.scorel/extensions/${id}.ts`, plugin(id, body));
  const d = await desk(at);
  const { sessionId, notices } = await d.client.request("create_session", { cwd: at.project, model: "offline/demo" });
  expect(notices).toEqual([]);
  return { d, sessionId };
}

describe("an extension can do what a built-in plugin can:", () => {
  it("register events with converters for models, display and listeners, and their place in the tree", async () => {
    using at = place();
    const { d, sessionId } = await opened(at, {
      weather: `
        events: {
          weather_seen: {
            schema: z.strictObject({ sky: z.enum(["clear", "grey"]) }),
            durable: true,
            convertToLlm: ({ sky }) => ({ action: "include", message: { role: "user", content: "The sky is " + sky, timestamp: 1 } }),
            convertToDisplay: ({ sky }) => ({ display: "card", title: "Weather", status: "done", text: sky }),
            toListener: ({ sky }) => ({ told: sky + "!" }),
          },
          weather_noted: { schema: z.strictObject({ why: z.string() }), leaf: (_event, current) => current },
          weather_passing: {
            transient: true,
            schema: z.strictObject({ n: z.number() }),
            convertToDisplay: ({ n }) => ({ display: "notice", level: "info", text: "passing " + n }),
          },
        },
        onEvent(event, ctx) {
          if (event.type === "weather_seen") ctx.session.emit("weather_passing", { n: event.told.length });
        },
        commands: ({ session }) => ({
          look: { run: async (sky) => {
            const seen = await session.append("weather_seen", { sky });
            await session.append("weather_noted", { why: "asked" });
            return String(session.activeLeaf === seen.id);
          } },
        }),`,
    });
    await using _d = d;
    const shown: unknown[] = [];
    await d.client.subscribe(sessionId, ({ event, display }) => void shown.push([event.type, display]));
    expect(await d.say(sessionId, "/look grey")).toBe("true");
    await expect(d.say(sessionId, "/look green")).rejects.toMatchObject({ code: "EVENT_INVALID" });
    await d.client.drained(sessionId);
    const { messages } = await d.client.request("get_context", { sessionId });
    expect(messages).toEqual([{ role: "user", content: "The sky is grey", timestamp: 1 }]);
    expect(shown).toContainEqual(["weather_seen", { display: "card", title: "Weather", status: "done", text: "grey" }]);
    expect(shown).toContainEqual(["weather_passing", { display: "notice", level: "info", text: "passing 5" }]);
  });

  it("register projections of the log and of the path of the conversation", async () => {
    using at = place();
    const { d, sessionId } = await opened(at, {
      steps: `
        events: { step: { schema: z.strictObject({ n: z.number() }) } },
        projections: {
          stepsTaken: { over: "log", reads: ["step"], init: () => 0, update: (sum, event) => event.type === "step" ? sum + event.n : sum },
          stepsHere: { over: "path", reads: ["step"], init: () => 0, update: (sum, event) => event.type === "step" ? sum + event.n : sum },
        },
        commands: ({ session }) => ({
          step: { run: async (n) => void (await session.append("step", { n: Number(n) })) },
          back: { run: async () => void (await session.append("rewind", { targetEventId: session.tree.root.id })) },
          steps: { run: () => session.projection("stepsTaken") + " taken, " + session.projection("stepsHere") + " here" },
        }),`,
    });
    await using _d = d;
    for (const line of ["/step 1", "/step 10", "/back", "/step 100"]) await d.say(sessionId, line);
    expect(await d.say(sessionId, "/steps")).toBe("111 taken, 101 here");
  });

  it("provide a service and a hook for others", async () => {
    using at = place();
    const { d, sessionId } = await opened(at, {
      // By name it would start first, but it needs the service of the other extension.
      asker: `
        needs: ["oracle"],
        hooks: () => ({ oracleAsked: (question) => question + "?" }),
        commands: ({ oracle }) => ({ ask: { run: (question) => oracle.ask(question) } }),`,
      oracle: `
        provides: ["oracle"],
        activate(ctx) {
          const asked = ctx.defineHook("oracleAsked", "waterfall");
          ctx.provide("oracle", { ask: async (question) => "You asked: " + (await asked(question)) });
        },`,
    });
    await using _d = d;
    expect(await d.say(sessionId, "/ask why")).toBe("You asked: why?");
  });

  it("contribute operations for clients, parts of the prompt and tools", async () => {
    using at = place();
    const { d, sessionId } = await opened(at, {
      giver: `
        operations: ({ session }) => ({
          giver_count: { params: z.strictObject({ sessionId: z.string(), by: z.number() }), run: ({ by }) => ({ count: by + 1, id: session.id }) },
        }),
        promptParts: () => [{ section: "baseline", priority: 60, text: "Give what you have." }],
        tools: () => [{ name: "Give", description: "Gives.", parameters: z.object({}), execute: async () => ({ content: [] }) }],
        commands: ({ agent }) => ({
          given: { run: () => String(agent.state.systemPrompt.includes("Give what you have.")) + " " + agent.state.tools.some(({ name }) => name === "Give") },
        }),
        needs: ["agent", "prompt"],`,
    });
    await using _d = d;
    const request = d.client.request as (operation: string, params: object) => Promise<unknown>;
    expect(await request("giver_count", { sessionId, by: 2 })).toEqual({ count: 3, id: sessionId });
    await expect(request("giver_count", { sessionId, by: "2" })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
    expect(await d.say(sessionId, "/given")).toBe("true true");
  });

  it("have a configuration table that is validated by its schema", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[greeter]", 'words = ["Good", "day"]');
    const { d, sessionId } = await opened(at, {
      greeter: `
        config: z.strictObject({ words: z.array(z.string()).default([]), mark: z.string().default("!") }),
        commands: ({ config }) => ({ greet: { run: () => config.words.join(" ") + config.mark + Object.isFrozen(config) } }),`,
    });
    await using _d = d;
    expect(await d.say(sessionId, "/greet")).toBe("Good day!true");
    at.file("~/.scorel/config.toml", "[greeter]", "words = 1");
    await expect(d.client.request("reload_session", { sessionId })).rejects.toThrow(`Invalid value of greeter.words`);
  });
});
