import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import inspect from "@scorel/inspect";
import { definePlugin } from "@scorel/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { modelTable } from "../../plugins/kit/schema/model-table.ts";
import { createAsked } from "../../presets/composition/asked.ts";
import { createLayersService } from "../../presets/composition/layers-service.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

afterEach(() => void vi.unstubAllEnvs());

const KEY = "sk-0123456789abcdef";
const table = { type: "custom", api: "openai-completions", contextWindow: 32_000, maxTokens: 4_000 };

/** A session with the real configuration layers of a home that has this config.toml. */
async function ground(config: string) {
  const home = testHome();
  mkdirSync(join(home.home, ".scorel", "presets"), { recursive: true });
  writeFileSync(join(home.home, ".scorel", "config.toml"), config);
  const asked = createAsked({ preset: "none", by: "--preset", cwd: home.cwd, trust: false, notify() {} });
  const layers = definePlugin({
    id: "layers",
    name: "Layers",
    version: "1.0.0",
    scope: "host",
    provides: ["layers"],
    activate: (ctx) => ctx.provide("layers", createLayersService(asked)),
  });
  const fast = modelTable.parse({
    ...table,
    provider: "own",
    id: "fast",
    baseUrl: "http://127.0.0.1:1/v1",
    cost: { input: 1, output: 2 },
  });
  const modelTables = definePlugin({
    id: "tables",
    name: "Tables",
    version: "1.0.0",
    scope: "host",
    provides: ["modelTables"],
    activate: (ctx) => ctx.provide("modelTables", { tables: { fast } as never }),
  });
  const host = await agentHost("http://127.0.0.1:1/v1", { host: [layers, inspect, modelTables] });
  const { sessionId } = await host.client.request("create_session", { cwd: home.cwd });
  return {
    ...host,
    home,
    sessionId,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

describe("list_models", () => {
  it("lists the configured models first, with windows, and prices where they are known", async () => {
    for (const name of Object.keys(process.env)) if (/_(KEY|TOKEN)$/.test(name)) vi.stubEnv(name, undefined);
    vi.stubEnv("OPENAI_API_KEY", KEY);
    await using t = await ground("");
    const { sessionId } = t;
    const { models: ready } = await t.client.request("list_models", { sessionId, ready: true });
    const about = { maxTokens: 4_000, images: false, thinks: false, ready: true, configured: true };
    expect(ready.slice(0, 2)).toEqual([
      { provider: "local", id: "m1", contextWindow: 8_000, ...about, maxTokens: 1_000, current: true },
      { provider: "own", id: "fast", contextWindow: 32_000, ...about, cost: { input: 1, output: 2 } },
    ]);
    const others = ready.slice(2);
    expect(new Set(others.map(({ provider }) => provider))).toEqual(new Set(["openai"]));
    expect(others.every(({ cost, contextWindow }) => (cost?.output ?? 0) > 0 && contextWindow > 0)).toBe(true);
    const { models: all } = await t.client.request("list_models", { sessionId, filter: "anthropic haiku" });
    expect(all.length).toBeGreaterThan(0);
    expect(all.every((model) => !model.ready && model.id.includes("haiku"))).toBe(true);
    const page = await t.client.request("list_models", { sessionId, limit: 3, skip: 1 });
    expect([page.models.length, page.models[0]?.id, page.more]).toEqual([3, "fast", true]);
  });

  it("names models that can then be chosen, those of [models.<alias>] too", async () => {
    await using t = await ground("");
    const { sessionId } = t;
    await t.client.request("set_model", { sessionId, model: "own/fast" });
    const { models: listed } = await t.client.request("list_models", { sessionId, ready: true });
    expect(listed.filter(({ current }) => current).map(({ id }) => id)).toEqual(["fast"]);
  });
});

describe("list_settings", () => {
  it("says what each setting is, where it comes from and what it does, without secrets", async () => {
    vi.stubEnv("OPENAI_API_KEY", KEY);
    const lines = [
      "[agent]",
      "retries = 7",
      "[models.summary]",
      'type = "custom"',
      'api = "openai-completions"',
      'provider = "own"',
      `id = "${KEY}"`,
      'baseUrl = "http://127.0.0.1:1/v1"',
      "contextWindow = 1000",
      "maxTokens = 100",
      'headers = { "x-team" = "hidden-value" }',
    ];
    await using t = await ground(`${lines.join("\n")}\n`);
    const { settings } = await t.client.request("list_settings", { sessionId: t.sessionId });
    const of = (path: string) => settings.find((setting) => setting.path === path);
    expect(of("agent.retries")).toEqual({
      path: "agent.retries",
      value: 7,
      origin: expect.stringMatching(/config\.toml:2$/),
      about: expect.stringMatching(/\w+ \w+/),
    });
    expect(of("agent.idleTimeout")).toMatchObject({ origin: "default", about: expect.any(String) });
    expect(JSON.stringify(settings)).not.toContain(KEY);
    expect(JSON.stringify(settings)).not.toContain("hidden-value");
    expect(of("models.summary.id")).toMatchObject({ value: "[redacted]", about: "the model's id at the server" });
  });
});

describe("list_presets", () => {
  it("lists those of the user with their descriptions, and why one cannot be used", async () => {
    await using t = await ground("");
    const own = (name: string, words: string) => writeFileSync(join(t.home.home, ".scorel", "presets", name), words);
    own("mine.toml", 'description = "My own"\nextends = "none"\n');
    own("broken.toml", "use = [");
    const { presets } = await t.client.request("list_presets", { cwd: t.home.cwd });
    const of = (name: string) => presets.find((preset) => preset.name === name);
    expect(of("mine")).toMatchObject({
      description: "My own",
      files: expect.arrayContaining([expect.stringContaining("mine.toml")]),
    });
    expect(of("broken")).toMatchObject({ problem: { code: expect.stringMatching(/^CONFIG_/) } });
    expect(of("coding")?.description).not.toBe("");
  });

  it("is refused to a client with certain projects outside of them", async () => {
    await using t = await ground("");
    const host = t.kernel.find("host");
    const limited = host?.connect({ clientId: "limited", scope: { operations: "read", projects: [] } });
    await expect(limited?.request("list_presets", { cwd: t.home.cwd })).rejects.toMatchObject({
      code: "HOST_FORBIDDEN",
    });
  });
});
