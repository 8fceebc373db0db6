import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, getModel, type Model } from "@mariozechner/pi-ai";
import type { BaseContext, Services } from "@scorel/kernel";
import { modelPlugin } from "@scorel/model";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isSpoken } from "../../plugins/model/choose/apis.ts";
import { defaultModels } from "../../plugins/model/choose/default-models.ts";
import { modelsOf } from "../../plugins/model/choose/local.ts";
import { type LocalServer, localServers } from "../../plugins/model/choose/local-servers.ts";
import { ollamaWindow } from "../../plugins/model/choose/local-window.ts";
import { modelRows } from "../../plugins/model/choose/rows.ts";
import { storeCredential } from "../../plugins/model/keys/auth-file.ts";
import { testKernel } from "../harness.ts";
import { startModelServer, text } from "../model-server.ts";
import { customModel } from "../model-service.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "scorel-keys-"));
  vi.stubEnv("HOME", home);
  for (const name of Object.keys(process.env)) if (/_(KEY|TOKEN)$/.test(name)) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

interface Given {
  config?: object;
  asked?: string;
  tables?: Record<string, object>;
  servers?: readonly LocalServer[];
}

/** The plugin's services in a given environment. */
async function opened({ config, asked, tables, servers = [] }: Given) {
  const workspace = { model: asked } as Services["workspace"];
  const modelTables = { tables: tables ?? {} } as Services["modelTables"];
  const kernel = await testKernel([{ plugin: modelPlugin(servers), config }], { services: { workspace, modelTables } });
  const find = <K extends "model" | "modelAdmin" | "secrets">(name: K) => kernel.kernel.find(name) as Services[K];
  return { find, [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose]() };
}

/** `provider/id` of the model in use, or the code of the error if there is none. */
async function used(given: Given): Promise<string> {
  await using t = await opened(given);
  try {
    const { provider, id } = t.find("model").current();
    return `${provider}/${id}`;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

describe("without [model]", () => {
  it("a key selects its provider's model, the first in the list of providers with a key", async () => {
    vi.stubEnv("GROQ_API_KEY", "gsk-0123456789");
    expect(await used({})).toBe("groq/openai/gpt-oss-120b");
    vi.stubEnv("OPENAI_API_KEY", "sk-0123456789");
    expect(await used({})).toBe("openai/gpt-5.4");
  });

  it("a stored key does the same", async () => {
    await storeCredential("deepseek", "sk-stored-0123456789");
    expect(await used({})).toBe("deepseek/deepseek-v4-pro");
  });

  it("there is no model without a key", async () => {
    expect(await used({})).toBe("MODEL_NONE");
  });

  it("a key that is stored while the session is open is found when the next message is sent", async () => {
    await using t = await opened({});
    const model = t.find("model");
    await storeCredential("deepseek", "sk-stored-0123456789");
    await model.ready?.();
    expect([model.current().id, model.foundBy?.()]).toEqual(["deepseek-v4-pro", "stored key"]);
  });

  it("a local model server is not selected", async () => {
    await using server = await localServer(ollamaSays);
    expect(await used({ servers: [{ ...ollama, port: server.port }] })).toBe("MODEL_NONE");
    expect(server.asked).toEqual([]);
  });

  it.each(defaultModels)("$provider/$id is known and can be used", ({ provider, id }) => {
    const model = getModel(provider as never, id as never) as Model<Api> | undefined;
    expect(isSpoken(model?.api ?? "unknown")).toBe(true);
  });
});

it("only a custom table describes the abilities of its model", async () => {
  vi.stubEnv("GROQ_API_KEY", "gsk-0123456789");
  const described = async (given: Given) => {
    await using t = await opened(given);
    return t.find("model").isDescribed?.();
  };
  const own = { ...customModel, api: "openai-completions", baseUrl: "http://127.0.0.1:1/v1" };
  await using server = await localServer(ollamaSays);
  const servers = [{ ...ollama, port: server.port }];
  expect([
    await described({ config: own }),
    await described({ config: own, asked: "test/m2" }),
    await described({ tables: { fast: own }, asked: "test/m1" }),
    await described({ config: own, asked: "groq/llama-3.3-70b-versatile" }),
    await described({ asked: "ollama/qwen3:8b", servers }),
    await described({}),
  ]).toEqual([true, true, true, false, false, false]);
});

describe("a stored key", () => {
  const config = { type: "builtin", provider: "groq", id: "llama-3.3-70b-versatile" };

  it("is used for its provider, unless the environment has a key", async () => {
    expect(await used({ config })).toBe("MODEL_KEY_MISSING");
    await storeCredential("groq", "gsk-stored-0123456789");
    expect(await used({ config })).toBe("groq/llama-3.3-70b-versatile");
    vi.stubEnv("GROQ_API_KEY", "not a key");
    expect(await used({ config })).toBe("MODEL_KEY_INVALID");
  });

  it("is not used for an explicit variable, or for another server with the provider's name", async () => {
    await storeCredential("groq", "gsk-stored-0123456789");
    expect(await used({ config: { ...config, apiKeyEnv: "OTHER_KEY" } })).toBe("MODEL_KEY_MISSING");
    await using server = await startModelServer([text("x")]);
    const baseUrl = server.baseUrl;
    await using t = await opened({ config: { ...customModel, api: "openai-completions", provider: "groq", baseUrl } });
    await (await t.find("model").stream({ messages: [] }, {})).result();
    expect(JSON.stringify(server.requests)).not.toContain("gsk-stored");
  });

  it("is redacted from texts, and not passed to child processes", async () => {
    await storeCredential("groq", "gsk-stored-0123456789");
    vi.stubEnv("COPY", "a gsk-stored-0123456789 copy");
    await using t = await opened({});
    const secrets = t.find("secrets");
    expect([secrets.redact("it is gsk-stored-0123456789."), secrets.childEnv().COPY]).toEqual([
      "it is [redacted].",
      undefined,
    ]);
  });
});

describe("the file of stored keys", () => {
  const path = () => join(home, ".scorel", "auth.json");

  it("can be read only by this user, and is replaced in one step", async () => {
    await Promise.all(["a", "b", "c", "d"].map((provider) => storeCredential(provider, `key-${provider}`)));
    expect(await storeCredential("b", undefined)).toBe(true);
    expect(await storeCredential("b", undefined)).toBe(false);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path(), "utf8"))).toEqual({
      version: 1,
      keys: { a: "key-a", c: "key-c", d: "key-d" },
    });
  });

  it("is not locked by a process that ended", async () => {
    await storeCredential("a", "key-a");
    writeFileSync(`${path()}.lock`, "");
    utimesSync(`${path()}.lock`, 1, 1);
    expect(await storeCredential("a", "key-b")).toBe(true);
  });

  it.each(["{", "[]", '{"keys":{"a":1}}', '"sk-secret-0123"'])(
    "with %s is refused without showing it",
    async (said) => {
      await storeCredential("a", "key-a");
      writeFileSync(path(), said);
      const failed = used({});
      await expect(failed).rejects.toMatchObject({ cause: { code: "MODEL_AUTH_FILE" } });
      await expect(failed).rejects.not.toThrow("sk-secret");
    },
  );
});

describe("[models.<alias>]", () => {
  it("is refused by name when another table describes that model at another address", async () => {
    const table = (baseUrl: string) => ({
      ...customModel,
      api: "openai-completions",
      provider: "local",
      id: "alpha",
      baseUrl,
    });
    const config = table("http://127.0.0.1:8/v1");
    const twice = { config, tables: { other: table("http://127.0.0.1:9/v1") } };
    const same = { config, tables: { other: table("http://127.0.0.1:8/v1/") } };
    const asked = "local/alpha";
    expect([await used(twice), await used({ ...twice, asked }), await used({ ...same, asked })]).toEqual([
      asked,
      "MODEL_AMBIGUOUS",
      asked,
    ]);
  });

  it("is used for its alias; another alias gets the main model", async () => {
    const table = (id: string) => ({ ...customModel, api: "anthropic-messages", baseUrl: "http://127.0.0.1:9", id });
    await using t = await opened({ config: table("main"), tables: { summary: table("small") } });
    const named = async (alias: string) => (await t.find("model").named(alias)).current().id;
    expect([await named("summary"), await named("title"), await named("constructor")]).toEqual([
      "small",
      "main",
      "main",
    ]);
  });

  it("is chosen by its alias, as with --model", async () => {
    const table = (id: string) => ({ ...customModel, api: "anthropic-messages", baseUrl: "http://127.0.0.1:9", id });
    const given = { config: table("main"), tables: { summary: table("small") } };
    await using t = await opened({ ...given, asked: "summary" });
    expect(t.find("model").current().id).toBe("small");
    await using other = await opened(given);
    await other.find("model").choose("summary");
    expect(other.find("model").current().id).toBe("small");
    await expect(other.find("model").choose("constructor")).rejects.toMatchObject({ code: "MODEL_NAME" });
  });

  it("with an unusable model reports that when it is used", async () => {
    await using t = await opened({ tables: { title: { type: "builtin", provider: "nobody", id: "x" } } });
    const title = await t.find("model").named("title");
    expect(() => title.current()).toThrow('no built-in provider "nobody"');
  });

  it("names variables that contain secrets", async () => {
    vi.stubEnv("ODDLY_NAMED", "sk-odd-0123456789");
    const table = { type: "builtin", provider: "groq", id: "x", apiKeyEnv: "ODDLY_NAMED" };
    await using t = await opened({ tables: { title: table } });
    expect(t.find("secrets").childEnv()).not.toHaveProperty("ODDLY_NAMED");
  });
});

const [ollama, lmStudio, llamaCpp] = localServers as [LocalServer, LocalServer, LocalServer];
const ollamaSays = { "/api/tags": { models: [{ name: "qwen3:8b", digest: "abc" }] } };
const lmStudioSays = {
  "/api/v0/models": {
    data: [
      { id: "gemma", type: "llm", max_context_length: 32_000, loaded_context_length: 8_000 },
      { id: "nomic", type: "embeddings", max_context_length: 2_000 },
    ],
  },
};
const llamaCppSays = {
  "/props": { total_slots: 1, model_path: "/m/llama.gguf", default_generation_settings: { n_ctx: 4_096 } },
};

/** A server that answers these paths with JSON and others with 404, after `delayMs`; with undefined, it never answers. */
async function localServer(answers: Record<string, unknown> | undefined, delayMs = 0) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers?.[request.url ?? ""];
    const send = () => response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? {}));
    if (answers) setTimeout(send, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, asked, [Symbol.asyncDispose]: close };
}

/** A server that answers `/api/models` with this status, and all other paths with 404. */
async function answering(status: number) {
  const server = createServer(({ url }, response) => response.writeHead(url === "/api/models" ? status : 404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

describe("the models of a server of the user's own", () => {
  it("that list no models below /v1 are reported by what they answer at the given address", async () => {
    await using server = await localServer({});
    const { port } = server;
    await using refusing = await answering(401);
    await using t = await opened({});
    const { served } = t.find("modelAdmin");
    const listed = `http://127.0.0.1:${port}`;
    await expect(served(listed, undefined)).rejects.toThrow(`(${listed}/v1/models): it has no list of models there`);
    const keyed = `http://127.0.0.1:${refusing.port}/api`;
    await expect(served(keyed, undefined)).rejects.toThrow(`(${keyed}/models): it requires a key (401)`);
  });

  it("are not asked for with a key that no header can carry, and the error does not quote the key", async () => {
    await using server = await startModelServer([]);
    await using t = await opened({});
    const asked = t.find("modelAdmin").served(server.baseUrl, "vk-0123456789\nabcdef");
    const error = await asked.catch(({ code, message }) => ({ code, leaks: message.includes("vk-0123456789") }));
    expect(error).toEqual({ code: "MODEL_KEY_INVALID", leaks: false });
  });
});

/** A server that sends blank lines without end, until the connection is closed. */
async function endlessServer() {
  const t = { closed: 0, sent: 0 };
  const server = createServer((_request, response) => {
    const lines = Buffer.alloc(64 * 1024, "\n");
    const send = () => {
      while (!response.destroyed && response.write(lines)) t.sent += lines.length;
    };
    response
      .writeHead(200)
      .on("drain", send)
      .on("close", () => t.closed++);
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(t, { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close });
}

describe("a local model server", () => {
  it("whose answer has no end is left before the time for answers is over", async () => {
    await using server = await endlessServer();
    expect(await modelsOf({ ...ollama, port: server.port }, 60_000)).toEqual([]);
    await expect.poll(() => server.closed).toBe(1);
    expect(await ollamaWindow(`http://127.0.0.1:${server.port}`, "m")).toMatchObject({ windowFrom: "assumed" });
    await expect.poll(() => server.closed).toBe(3);
  });

  it("has the session's current model, which is listed although no list has it, also with a filter that it matches", async () => {
    await using server = await localServer(ollamaSays);
    await using t = await opened({ servers: [{ ...ollama, port: server.port }] });
    await t.find("model").choose("ollama/qwen3:8b");
    const current = async (filter?: string) =>
      (await modelRows({ find: t.find } as BaseContext, { filter })).filter((row) => row.current).map(({ id }) => id);
    expect(await current()).toEqual(["qwen3:8b"]);
    expect(await current("OLLAMA qwen")).toEqual(["qwen3:8b"]);
    expect(await current("haiku")).toEqual([]);
  });

  it("is recognized by its answers to requests that are specific to each kind", async () => {
    await using first = await localServer(ollamaSays);
    await using second = await localServer(lmStudioSays);
    await using third = await localServer(llamaCppSays);
    const servers = [
      { ...ollama, port: first.port },
      { ...lmStudio, port: second.port },
      { ...llamaCpp, port: third.port },
    ];
    await using t = await opened({ servers });
    const at = (port: number) => `http://127.0.0.1:${port}/v1`;
    expect(await t.find("modelAdmin").local()).toEqual([
      {
        provider: "ollama",
        id: "qwen3:8b",
        server: "Ollama",
        baseUrl: at(first.port),
        contextWindow: 16_384,
        windowFrom: "assumed",
      },
      {
        provider: "lmstudio",
        id: "gemma",
        server: "LM Studio",
        baseUrl: at(second.port),
        contextWindow: 8_000,
        windowFrom: "loaded",
      },
      {
        provider: "llamacpp",
        id: "llama.gguf",
        server: "llama.cpp",
        baseUrl: at(third.port),
        contextWindow: 4_096,
        windowFrom: "loaded",
      },
    ]);
  });

  it("is not recognized if it is silent, or another program answers", async () => {
    await using silent = await localServer(undefined);
    await using other = await localServer({ "/api/v0/models": { data: [{ id: "x" }] }, "/props": ["x"] });
    const servers = [
      { ...ollama, port: silent.port },
      { ...lmStudio, port: other.port },
      { ...llamaCpp, port: other.port },
    ];
    await using t = await opened({ servers });
    expect(await t.find("modelAdmin").local()).toEqual([]);
  });

  it("is waited for if it was chosen, even if it answers slowly while it computes a reply for somebody", async () => {
    await using server = await localServer(ollamaSays, 1_200);
    await using t = await opened({ servers: [{ ...ollama, port: server.port }] });
    expect(await t.find("modelAdmin").local()).toEqual([]);
    await t.find("model").choose("ollama/qwen3:8b");
    expect(t.find("model").current()).toMatchObject({ provider: "ollama", id: "qwen3:8b" });
  });

  it("is used if --model names it", async () => {
    await using server = await localServer(ollamaSays);
    const servers = [{ ...ollama, port: server.port }];
    expect(await used({ servers, asked: "ollama/qwen3:8b" })).toBe("ollama/qwen3:8b");
    expect(await used({ servers, asked: "ollama/qwen3" })).toBe("MODEL_UNKNOWN");
  });

  /** Ollama's answers about a model. */
  const show = (parameters?: string, largest?: number) => ({
    "/api/show": { parameters, model_info: { "general.architecture": "qwen3", "qwen3.context_length": largest } },
  });
  const ps = (context_length?: number) => ({ "/api/ps": { models: [{ name: "qwen3:8b", context_length }] } });
  it.each([
    ["as it is loaded", { ...ps(32_768), ...show("num_ctx 8192", 40_960) }, 32_768],
    ["as its own settings say", { ...ps(), ...show('stop "<x>"\nnum_ctx                        8192', 40_960) }, 8_192],
    ["never more than it was made for", show("num_ctx 99999", 40_960), 40_960],
    ["assumed when it is not loaded and has no setting", show(undefined, 40_960), 16_384],
    ["assumed within what it was made for", show("", 2_048), 2_048],
    ["assumed when the server is an older one", {}, 16_384],
    [
      "assumed when the answers make no sense",
      { "/api/ps": [], "/api/show": { parameters: 7, model_info: 7 } },
      16_384,
    ],
    ["assumed when the number is none", { ...ps(-1), ...show("num_ctx 0", 0.5) }, 16_384],
  ])("of Ollama has a context window of %s", async (_how, answers, contextWindow) => {
    await using server = await localServer({ ...ollamaSays, ...answers });
    await using t = await opened({ servers: [{ ...ollama, port: server.port }], asked: "ollama/qwen3:8b" });
    const { contextWindow: tokens, maxTokens } = t.find("model").current();
    expect({ tokens, maxTokens }).toEqual({ tokens: contextWindow, maxTokens: Math.ceil(contextWindow / 4) });
  });

  it("that has not loaded a model gets an assumed context window, in LM Studio, too", async () => {
    const says = { "/api/v0/models": { data: [{ id: "gemma", type: "llm", max_context_length: 131_072 }] } };
    await using server = await localServer(says);
    await using t = await opened({ servers: [{ ...lmStudio, port: server.port }], asked: "lmstudio/gemma" });
    expect(t.find("model").current().contextWindow).toBe(16_384);
  });

  it.each([0, -1, 0.5, "4096"])(
    "that tells %j as its context window gets an assumed one, in llama.cpp, too",
    async (n_ctx) => {
      await using server = await localServer({ "/props": { total_slots: 1, default_generation_settings: { n_ctx } } });
      await using t = await opened({ servers: [{ ...llamaCpp, port: server.port }], asked: "llamacpp/default" });
      expect(t.find("model").current()).toMatchObject({ contextWindow: 16_384, maxTokens: 4_096 });
    },
  );

  it.each([0, -1, "many"])(
    "that tells %j as the largest window of a model is used without that number",
    async (max) => {
      const says = { "/api/v0/models": { data: [{ id: "gemma", type: "llm", max_context_length: max }] } };
      await using server = await localServer(says);
      await using t = await opened({ servers: [{ ...lmStudio, port: server.port }], asked: "lmstudio/gemma" });
      expect(t.find("model").current().contextWindow).toBe(16_384);
    },
  );

  it("reports how its context window is known", async () => {
    await using server = await localServer({ ...ollamaSays, ...ps(32_768) });
    await using t = await opened({ servers: [{ ...ollama, port: server.port }], asked: "ollama/qwen3:8b" });
    const { window } = await t.find("modelAdmin").check();
    expect(window).toEqual({ contextWindow: 32_768, windowFrom: "loaded" });
  });

  it("that --model names and that does not run is named in the error", async () => {
    const gone = await localServer(ollamaSays);
    await gone[Symbol.asyncDispose]();
    expect(await used({ servers: [{ ...ollama, port: gone.port }], asked: "ollama/x" })).toBe("MODEL_LOCAL_ABSENT");
  });

  it("that is started while the session is open is found when the next message is sent", async () => {
    const says: Record<string, unknown> = {};
    await using server = await localServer(says);
    await using t = await opened({ servers: [{ ...ollama, port: server.port }], asked: "ollama/qwen3:8b" });
    const model = t.find("model");
    expect(model.current).toThrow(expect.objectContaining({ code: "MODEL_LOCAL_ABSENT" }));
    Object.assign(says, ollamaSays);
    await model.ready?.();
    expect(model.current().id).toBe("qwen3:8b");
  });
});
