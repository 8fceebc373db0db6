import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { fixture, startProxy } from "../proxy.ts";
import { type RunOptions, scratch } from "./scorel.ts";

const certificate = fixture("tls/models.test.cert.pem");

/** Serves TLS for models.test in front of a plain server. */
async function startTls(port: number) {
  const keys = { key: readFileSync(fixture("tls/models.test.key.pem")), cert: readFileSync(certificate) };
  const server = createServer(keys, (socket) => {
    const onward = connect(port, "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    socket.on("error", () => onward.destroy());
    onward.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** One prompt to a model at `baseUrl`, without retries. */
async function ask(baseUrl: string, env: NonNullable<RunOptions["env"]>) {
  using s = scratch();
  const table = `[model]
type = "custom"
api = "openai-completions"
provider = "test"
id = "m1"
apiKeyEnv = "TEST_KEY"
contextWindow = 100000
maxTokens = 8000
baseUrl = "${baseUrl}"
[agent]
retries = 0
`;
  s.file("~/.scorel/config.toml", table);
  const { code, stdout, stderr } = await s.run(["-p", "hi"], { env: { TEST_KEY: "sk-test-0123456789", ...env } });
  return { code, stdout, stderr };
}

describe("a proxy from the environment", () => {
  it("tunnels to an https server, which NODE_EXTRA_CA_CERTS makes trusted", async () => {
    await using server = await startModelServer([text("through")]);
    await using tls = await startTls(server.port);
    await using proxy = await startProxy(tls.port);
    const env = { HTTPS_PROXY: `http://me:pa%20ss@${proxy.address}`, NODE_EXTRA_CA_CERTS: certificate };
    expect(await ask("https://models.test/v1", env)).toEqual({ code: 0, stdout: "through\n", stderr: "" });
    expect(server.requests[0]?.headers).toMatchObject({
      host: "models.test",
      authorization: "Bearer sk-test-0123456789",
    });
    await proxy.close();
    expect(proxy.heard).toEqual([`CONNECT models.test:443 Basic ${Buffer.from("me:pa ss").toString("base64")}`]);
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("does not make an unknown certificate trusted", async () => {
    await using server = await startModelServer([text("never")]);
    await using tls = await startTls(server.port);
    await using proxy = await startProxy(tls.port);
    const { code, stderr } = await ask("https://models.test/v1", { HTTPS_PROXY: `http://${proxy.address}` });
    expect([code, stderr.includes("SELF_SIGNED_CERT"), server.requests]).toEqual([1, true, []]);
  });

  it("forwards a request to an http server", async () => {
    await using server = await startModelServer([text("through")]);
    await using proxy = await startProxy(server.port);
    const { code, stdout } = await ask("http://models.test/v1", { http_proxy: proxy.address });
    await proxy.close();
    expect([code, stdout, proxy.heard]).toEqual([0, "through\n", ["POST http://models.test/v1/chat/completions"]]);
  });

  it("is not used for this machine", async () => {
    await using server = await startModelServer([text("direct")]);
    await using proxy = await startProxy(server.port);
    const { code, stdout } = await ask(server.baseUrl, { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address });
    await proxy.close();
    expect([code, stdout, proxy.heard]).toEqual([0, "direct\n", []]);
  });

  it("is named when it refuses a request", async () => {
    await using proxy = await startProxy(9, 407);
    const { code, stderr } = await ask("https://models.test/v1", { HTTPS_PROXY: `http://me:secret@${proxy.address}` });
    expect([code, stderr.includes(`(the proxy ${proxy.address} answered 407)`), stderr.includes("secret")]).toEqual([
      1,
      true,
      false,
    ]);
  });

  it("is named when it cannot be reached", async () => {
    const proxy = await startProxy(9);
    await proxy.close();
    const { code, stderr } = await ask("https://models.test/v1", { HTTPS_PROXY: proxy.address });
    expect([code, stderr.includes(`(the proxy ${proxy.address}: ECONNREFUSED)`)]).toEqual([1, true]);
  });
});
