import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnyPlugin, definePlugin, messageOf } from "@scorel/kernel";
import model from "@scorel/model";
import type { ModelAdminService, ModelProvider, ProviderPart, ProviderRequest } from "@scorel/model/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contained, type TestPlugin, testKernel } from "../harness.ts";
import { startModelServer, text } from "../model-server.ts";
import { openAgent, says, tool } from "./agent/setup.ts";

beforeEach(() => void vi.stubEnv("ACME_API_KEY", "acme-key-0123456789"));
afterEach(() => vi.unstubAllEnvs());

const listed = { id: "large", contextWindow: 64_000, maxTokens: 4_000 };
const remote = "https://models.acme.example/v1";

function plugin(id: string, providers: Record<string, unknown>, more: Partial<AnyPlugin> = {}) {
  return definePlugin({
    id,
    name: id,
    version: "1.0.0",
    ...more,
    providers: () => providers as Record<string, ModelProvider>,
  });
}

/** Starts a server on this machine; `answer` handles each request. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown) {
  const seen: { path?: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    seen.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    await answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A session with the plugin `model`, by default with an empty table, and these plugins. */
function withModel(asked: string | undefined, plugins: readonly (TestPlugin | AnyPlugin)[], config: object = {}) {
  const services = { workspace: { model: asked } as Workspace };
  return testKernel([{ plugin: model, config, origin: "test" }, ...(plugins as TestPlugin[])], { services });
}

async function namesIn(admin: ModelAdminService | undefined, filter: string) {
  return (await admin?.list(filter))?.map(({ provider, id, credential, contextWindow, cost, images, thinks }) =>
    [`${provider}/${id}`, credential, contextWindow, cost.input, images, thinks].join(" "),
  );
}

describe("a provider of a plugin with an api that Scorel knows", () => {
  it("is listed, chosen and called, and its key goes to its host only", async () => {
    await using server = await startModelServer([text("from acme")]);
    const acme = { baseUrl: server.baseUrl, api: "openai-completions", models: [listed], apiKeyEnv: "ACME_API_KEY" };
    await using t = await withModel("acme/large", [contained(plugin("acme", { acme }))]);
    expect(await namesIn(t.kernel.find("modelAdmin"), "acme")).toEqual(["acme/large ACME_API_KEY 64000 0 false false"]);
    expect(await t.kernel.find("modelAdmin")?.check()).toMatchObject({
      model: "acme/large",
      credential: "ACME_API_KEY",
    });
    expect((await server.request(0)).headers.authorization).toBe("Bearer acme-key-0123456789");
    expect(t.kernel.find("secrets")?.redact("is acme-key-0123456789")).toBe("is [redacted]");
    expect(t.kernel.find("secrets")?.childEnv()).not.toHaveProperty("ACME_API_KEY");
  });

  it("can be set in [model], by /model, and while the session runs", async () => {
    const acme = { baseUrl: remote, api: "openai-completions", models: [listed] };
    await using t = await withModel(undefined, [plugin("acme", { acme })], {
      type: "builtin",
      provider: "acme",
      id: "large",
    });
    expect(t.kernel.find("model")?.current()).toMatchObject({ provider: "acme", contextWindow: 64_000 });
    await t.kernel.load({ plugin: plugin("beta", { beta: { ...acme, apiKeyEnv: "ACME_API_KEY" } }), origin: "test" });
    await t.kernel.find("model")?.choose("beta/large");
    expect(t.kernel.find("model")?.current()).toMatchObject({ provider: "beta", baseUrl: remote });
    await t.kernel.unload("beta");
    expect(() => t.kernel.find("model")?.current()).toThrow('There is no built-in provider "beta"');
  });

  it("names what is missing: the model, or the key", async () => {
    const acme = { baseUrl: remote, api: "openai-completions", models: [listed] };
    await using t = await withModel("acme/lage", [plugin("acme", { acme })]);
    expect(() => t.kernel.find("model")?.current()).toThrow(
      'Provider "acme" has no model "lage". Did you mean "large"?',
    );
    vi.stubEnv("ACME_API_KEY", undefined);
    vi.stubEnv("HOME", "/nonexistent");
    await expect(t.kernel.find("model")?.choose("acme/large")).rejects.toThrow(
      "the environment variable ACME_API_KEY is not set",
    );
  });
});

describe("names and mistakes", () => {
  it("the first provider of a name keeps it; `replaces` takes it, also from a known one", async () => {
    const of = (baseUrl: string) => ({
      baseUrl,
      api: "openai-completions",
      models: [listed],
      apiKeyEnv: "ACME_API_KEY",
    });
    const plugins = [
      plugin("one", { acme: of("https://one.example/v1"), groq: of("https://one.example/v1") }),
      plugin("two", { acme: of("https://two.example/v1") }),
      plugin("three", { groq: of("https://three.example/v1") }, { replaces: ["groq"] }),
    ];
    await using t = await withModel("acme/large", plugins);
    const service = t.kernel.find("model");
    expect(service?.current().baseUrl).toBe("https://one.example/v1");
    await service?.choose("groq/large");
    expect(service?.current().baseUrl).toBe("https://three.example/v1");
    expect(await namesIn(t.kernel.find("modelAdmin"), "groq/")).toEqual([
      "groq/large ACME_API_KEY 64000 0 false false",
    ]);
    expect(t.kernel.failures.map(({ plugin: id, code }) => [id, code])).toEqual([
      ["one", "MODEL_PROVIDER_TAKEN"],
      ["two", "MODEL_PROVIDER_TAKEN"],
    ]);
  });

  it.each([
    [{ Acme: {} }, "its id must be lower-case letters"],
    [{ acme: { baseUrl: remote, models: [] } }, "it has neither api nor stream"],
    [{ acme: { baseUrl: "models.acme.example", api: "openai-completions", models: [] } }, "its baseUrl has no scheme"],
    [{ acme: { baseUrl: remote, api: "openai-completions", models: [{ id: "x" }] } }, "contextWindow"],
    [{ acme: { baseUrl: remote, api: "openai-completions", models: [], apiKeyEnv: "sk-abc" } }, "NAME of a variable"],
    [[], "must be an object with a provider for each id"],
  ])("%j is left out and reported: %s", async (providers, told) => {
    await using t = await withModel("acme/large", [plugin("broken", providers as Record<string, unknown>)]);
    expect(await namesIn(t.kernel.find("modelAdmin"), "acme")).toEqual([]);
    expect(t.kernel.failures.map(({ message }) => message)).toEqual([expect.stringContaining(told)]);
    expect(JSON.stringify(t.kernel.failures)).not.toContain("sk-abc");
  });
});

/** The parts of a reply as lines of JSON. */
const jsonLines = (...parts: ProviderPart[]) => parts.map((part) => `${JSON.stringify(part)}\n`).join("");

async function* byLines({ fetch, context, model: used, options }: ProviderRequest): AsyncGenerator<ProviderPart> {
  const response = await fetch("talk", {
    method: "POST",
    headers: { "x-key": "mine" },
    body: JSON.stringify({ used: used.id, options, said: context.messages.length, tools: context.tools?.length ?? 0 }),
  });
  if (!response.ok) throw new Error(await response.text());
  for (const line of (await response.text()).split("\n").filter(Boolean)) yield JSON.parse(line) as ProviderPart;
}

describe("a provider with a stream function of its own", () => {
  const own = (baseUrl: string, more: object = {}) => ({
    acme: { baseUrl, apiKeyEnv: "ACME_API_KEY", keyHeader: "x-key", stream: byLines, models: [listed], ...more },
  });
  const open = (baseUrl: string, more: object = {}, options: Parameters<typeof openAgent>[1] = {}) =>
    openAgent([], {
      ...options,
      plugins: [contained(plugin("acme", own(baseUrl, more))), ...(options?.plugins ?? [])],
      kernel: { services: { workspace: { model: "acme/large" } as Workspace } },
    });

  it("streams text, thinking and calls; tools run, usage and cost add up", async () => {
    let round = 0;
    await using server = await serve((_request, response) => {
      const first: ProviderPart[] = [
        { type: "thinking", text: "hm" },
        { type: "text", text: "Look" },
        { type: "text", text: "ing." },
        { type: "toolCall", id: "c1", name: "look", json: '{"size"' },
        { type: "toolCall", id: "c1", name: "look", json: ":3}" },
        { type: "usage", input: 100, output: 10 },
        { type: "end", reason: "toolUse" },
      ];
      const second: ProviderPart[] = [
        { type: "text", text: "Done." },
        { type: "end", reason: "stop" },
      ];
      response.end(jsonLines(...(round++ === 0 ? first : second)));
    });
    const sizes: unknown[] = [];
    const look = tool("look", async (_id, { size }: any) => {
      sizes.push(size);
      return says("seen");
    });
    const models = [{ ...listed, cost: { input: 1, output: 2 } }];
    await using t = await open(server.baseUrl, { models }, { tools: [look] });
    const outcome = await (await t.agent.send("hi")).turn;
    expect([outcome.reason, outcome.text, outcome.usage.totalTokens, sizes]).toEqual(["completed", "Done.", 110, [3]]);
    expect(outcome.usage.cost.total).toBeCloseTo(0.00012, 8);
    expect(server.seen.map(({ path, headers }) => [path, headers["x-key"]])).toEqual([
      ["POST /v1/talk", "acme-key-0123456789"],
      ["POST /v1/talk", "acme-key-0123456789"],
    ]);
    expect(JSON.parse(server.seen[1]?.body ?? "")).toMatchObject({ used: "large", said: 3, tools: 1 });
  });

  it("joins the pieces of calls that arrive in turn", async () => {
    let round = 0;
    await using server = await serve((_request, response) => {
      const pieces = [
        ["c1", '{"size"'],
        ["c2", '{"size":'],
        ["c1", ":3}"],
        ["c2", "4}"],
      ].map(([id = "", json = ""]): ProviderPart => ({ type: "toolCall", id, name: "look", json }));
      const first: ProviderPart[] = [...pieces, { type: "end", reason: "toolUse" }];
      const second: ProviderPart[] = [
        { type: "text", text: "Done." },
        { type: "end", reason: "stop" },
      ];
      response.end(jsonLines(...(round++ === 0 ? first : second)));
    });
    const sizes: unknown[] = [];
    const look = tool("look", async (_id, { size }: any) => {
      sizes.push(size);
      return says("seen");
    });
    await using t = await open(server.baseUrl, {}, { tools: [look] });
    const { reason } = await (await t.agent.send("hi")).turn;
    expect({ reason, sizes }).toEqual({ reason: "completed", sizes: [3, 4] });
  });

  it("asks the server for its models, and tells when it cannot", async () => {
    let up = false;
    await using server = await serve((request, response) => {
      if (request.url === "/v1/models") response.writeHead(up ? 200 : 500).end(JSON.stringify(up ? [listed] : {}));
      else response.end(jsonLines({ type: "text", text: "ok" }, { type: "end", reason: "stop" }));
    });
    const models = async ({ fetch }: { fetch(path: string): Promise<Response> }) => {
      const response = await fetch("models");
      if (!response.ok) throw new Error(`${response.status} with acme-key-0123456789`);
      return response.json();
    };
    await using t = await open(server.baseUrl, { models });
    await expect(t.agent.send("hi")).rejects.toThrow('The provider "acme" has not listed its models');
    up = true;
    expect((await (await t.agent.send("hi")).turn).text).toBe("ok");
    expect(t.kernel.failures.map(({ plugin: id, where }) => [id, where])).toEqual([
      ["acme", "models of provider acme"],
    ]);
  });

  it.each([
    ["a reply without an end", [{ type: "text", text: "cut" }], "ended without a finish marker"],
    ["nothing at all", [], "AGENT"],
    ["no part of a reply", [{ type: "words", text: "x" }], "yielded something that is not a part"],
    [
      "a call that is cut",
      [{ type: "toolCall", id: "1", name: "look", json: '{"si' }],
      "ended without a finish marker",
    ],
    ["an unknown end", [{ type: "end", reason: "finished" }], "yielded an end whose reason"],
  ])("%s is an error", async (_name, parts, told) => {
    await using server = await serve((_request, response) => response.end(jsonLines(...(parts as ProviderPart[]))));
    await using t = await open(server.baseUrl);
    const { reason, error } = await (await t.agent.send("hi")).turn;
    expect([reason, `${error?.code} ${error?.message}`]).toEqual(["error", expect.stringContaining(told)]);
  });

  it("takes a path, a URL or a Request, and refuses the header `host`", async () => {
    await using server = await serve((_request, response) => response.end());
    const told: string[] = [];
    async function* asks({ fetch }: ProviderRequest): AsyncGenerator<ProviderPart> {
      await fetch(new URL(`${server.baseUrl}/url?x=1`), { method: "POST", body: "one" });
      const headers = { "x-own": "yes" };
      await fetch(new Request(`${server.baseUrl}/request`, { method: "PUT", body: "two", headers }));
      await fetch("/path", { headers: { host: "evil.example" } }).catch(({ code }) => told.push(code));
      yield { type: "text", text: "ok" };
      yield { type: "end", reason: "stop" };
    }
    await using t = await open(server.baseUrl, { stream: asks });
    expect((await (await t.agent.send("hi")).turn).text).toBe("ok");
    const seen = server.seen.map(({ path, body, headers }) => [path, body, headers["x-key"], headers["x-own"]]);
    expect([seen, told]).toEqual([
      [
        ["POST /v1/url?x=1", "one", "acme-key-0123456789", undefined],
        ["PUT /v1/request", "two", "acme-key-0123456789", "yes"],
      ],
      ["MODEL_HOST_HEADER"],
    ]);
  });

  it("can be cancelled although its function never waits", async () => {
    async function* endless(): AsyncGenerator<ProviderPart> {
      for (;;) yield { type: "text", text: "a" };
    }
    await using t = await open("http://127.0.0.1:9/v1", { stream: endless });
    const { turn } = await t.agent.send("hi");
    setTimeout(() => void t.agent.cancel(), 20);
    expect((await turn).reason).toBe("cancelled");
  });

  it("sends nothing to another host, and shows no key in errors", async () => {
    await using elsewhere = await serve((_request, response) => response.end());
    await using server = await serve((_request, response) =>
      response.writeHead(401).end("The key acme-key-0123456789 is wrong."),
    );
    async function* stray({ fetch }: ProviderRequest): AsyncGenerator<ProviderPart> {
      await fetch(`${elsewhere.baseUrl}/steal`);
      yield { type: "end", reason: "stop" };
    }
    await using t = await open(server.baseUrl, { stream: stray });
    const { error } = await (await t.agent.send("hi")).turn;
    expect([error?.message, elsewhere.seen]).toEqual([
      expect.stringContaining("was not made: the model's host is"),
      [],
    ]);
    await using refused = await open(server.baseUrl);
    const outcome = await (await refused.agent.send("hi")).turn;
    expect(outcome.error?.message).toContain("[redacted] is wrong");
    expect(JSON.stringify([outcome, await refused.heard()])).not.toContain("acme-key-0123456789");
  });

  it("ends at once when it is cancelled, and after its time of silence", async () => {
    async function* silent(): AsyncGenerator<ProviderPart> {
      yield { type: "text", text: "one" };
      await new Promise(() => {});
    }
    await using t = await open(remote, { stream: silent });
    const { turn } = await t.agent.send("hi");
    await t.next((event) => event.type === "text_delta");
    await t.agent.cancel();
    expect((await turn).reason).toBe("cancelled");
    const models = [{ ...listed, idleTimeout: 0.05 }];
    await using late = await open(remote, { stream: silent, models });
    expect((await (await late.agent.send("hi")).turn).error?.code).toBe("AGENT_STREAM_IDLE");
  });
});

describe("scorel login", () => {
  it("uses the provider's own login", async () => {
    const acme = { baseUrl: remote, api: "openai-completions", models: [listed], login: async () => "two words" };
    await using t = await withModel("acme/large", [plugin("acme", { acme })]);
    const admin = t.kernel.find("modelAdmin");
    expect(await admin?.waysIn("acme")).toEqual(["key", "subscription"]);
    const dialog = { signal: new AbortController().signal } as Parameters<ModelAdminService["signIn"]>[1];
    expect(await admin?.signIn("acme", dialog).catch(messageOf)).toContain("its plugin returned no key");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no browser");
      },
    ],
    ["rejects", async () => Promise.reject(new Error("no browser"))],
  ])("names the provider if its login %s", async (_how, login) => {
    const acme = { baseUrl: remote, api: "openai-completions", models: [listed], login };
    await using t = await withModel("acme/large", [plugin("acme", { acme })]);
    const dialog = { signal: new AbortController().signal } as Parameters<ModelAdminService["signIn"]>[1];
    const signIn = t.kernel.find("modelAdmin")?.signIn("acme", dialog);
    expect(await signIn?.catch(messageOf)).toContain('The login to "acme" failed: no browser.');
  });
});
