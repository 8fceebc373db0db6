import { readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import type { Services } from "@scorel/kernel";
import model from "@scorel/model";
import type { ModelReach } from "@scorel/model/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testKernel } from "../harness.ts";
import { customModel } from "../model-service.ts";
import { fixture, startProxy } from "../proxy.ts";

afterEach(() => vi.unstubAllEnvs());

const ms = expect.any(Number);
const steps = (...names: string[]) => names.map((step) => ({ step, ms }));

/** The result of reaching the model at `baseUrl`. */
async function reach(baseUrl: string, more: object = {}, limit = 5_000): Promise<ModelReach> {
  const config = { ...customModel, api: "openai-completions", baseUrl, ...more };
  await using t = await testKernel([{ plugin: model, config }]);
  return (t.kernel.find("modelAdmin") as Services["modelAdmin"]).reach(limit);
}

async function listening<S extends Server>(server: S) {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket));
  const close = () => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((done) => server.close(() => done()));
  };
  return { port, [Symbol.asyncDispose]: close };
}

describe("reaching a model's server", () => {
  it("sends a request without the key, and accepts any answer", async () => {
    vi.stubEnv("TEST_KEY", "key-0123456789");
    const heard: unknown[] = [];
    await using server = await listening(
      createHttp(({ headers, url }, response) => {
        heard.push({ url, names: Object.keys(headers).sort() });
        response.writeHead(401).end();
      }),
    );
    const host = `127.0.0.1:${server.port}`;
    const headers = { "x-team-token": "team-0123456789" };
    expect(await reach(`http://${host}/v1`, { apiKeyEnv: "TEST_KEY", headers })).toEqual({
      model: "test/m1",
      api: "openai-completions",
      host,
      credential: "TEST_KEY",
      steps: steps("name", "connection", "answer"),
      status: 401,
    });
    expect(heard).toEqual([{ url: "/v1", names: ["accept-encoding", "connection", "host"] }]);
  });

  it("also works without a key, which it reports", async () => {
    vi.stubEnv("TEST_KEY", undefined);
    await using server = await listening(createHttp((_request, response) => response.end()));
    const found = await reach(`http://127.0.0.1:${server.port}/v1`, { apiKeyEnv: "TEST_KEY" });
    expect(found).toMatchObject({ status: 200, keyProblem: { code: "MODEL_KEY_MISSING" } });
    expect(found).not.toHaveProperty("credential");
  });

  it("does nothing if there is no time for it", async () => {
    await using server = await listening(createHttp(() => expect.unreachable("nobody was to be asked")));
    const host = `127.0.0.1:${server.port}`;
    expect(await reach(`http://${host}/v1`, {}, 0)).toMatchObject({ host, steps: [] });
  });

  it("fails where nothing listens", async () => {
    const { port } = await closed();
    expect(await reach(`http://127.0.0.1:${port}/v1`)).toMatchObject({
      steps: steps("name"),
      failed: {
        step: "connection",
        late: false,
        reason: "ECONNREFUSED",
        advice: expect.stringContaining("Nothing listens"),
      },
    });
  });

  it("fails for an unknown host name", async () => {
    const { failed, steps: taken } = await reach("http://models.invalid/v1", { apiKeyEnv: "TEST_KEY" }, 4_000);
    expect([failed?.step, taken]).toEqual(["name", []]);
  });

  it("fails if the server does not use TLS, or has an unknown certificate", async () => {
    await using plain = await listening(createServer((socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n")));
    const pem = (name: string) => readFileSync(fixture(`tls/models.test.${name}.pem`));
    await using secure = await listening(
      createTls({ key: pem("key"), cert: pem("cert") }, (socket) => socket.on("error", () => {})),
    );
    const spoken = await reach(`https://127.0.0.1:${plain.port}/v1`);
    const known = await reach(`https://127.0.0.1:${secure.port}/v1`);
    expect([spoken.steps, spoken.failed?.step]).toEqual([steps("name", "connection"), "encryption"]);
    expect(known.failed).toMatchObject({ step: "encryption", advice: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
  });

  it("ends at its time limit, and reports the step that was slow", async () => {
    await using silent = await listening(createServer((socket) => socket.on("error", () => {})));
    const began = performance.now();
    const { failed } = await reach(`http://127.0.0.1:${silent.port}/v1`, {}, 200);
    expect(failed).toMatchObject({ step: "answer", late: true, reason: "not finished within 0.2 s" });
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it("uses the proxy of the environment, which may refuse", async () => {
    await using server = await listening(createHttp((_request, response) => response.writeHead(404).end()));
    await using proxy = await startProxy(server.port);
    await using strict = await startProxy(server.port, 407);
    vi.stubEnv("HTTP_PROXY", `http://ann:secret@${proxy.address}`);
    vi.stubEnv("HTTPS_PROXY", `http://${strict.address}`);
    expect(await reach("http://models.example/v1", { apiKeyEnv: "TEST_KEY" })).toMatchObject({
      proxy: proxy.address,
      status: 404,
    });
    const { failed, ...way } = await reach("https://models.example/v1", { apiKeyEnv: "TEST_KEY" });
    expect(way).toMatchObject({ proxy: strict.address, steps: steps("name", "connection") });
    expect(failed).toMatchObject({
      step: "answer",
      reason: expect.stringContaining("answered 407"),
      advice: expect.stringContaining("a user name and a password"),
    });
  });
});

describe("the demonstration model", () => {
  it("needs no server", async () => {
    await using t = await testKernel([model], {
      services: { workspace: { model: "offline/demo" } as Services["workspace"] },
    });
    const found = await (t.kernel.find("modelAdmin") as Services["modelAdmin"]).reach(1_000);
    expect(found).toEqual({ model: "offline/demo", api: "offline", credential: "no key", steps: [] });
  });
});

/** A port that is probably free, since it was free a moment ago. */
async function closed(): Promise<{ port: number }> {
  await using server = await listening(createServer());
  return { port: server.port };
}
