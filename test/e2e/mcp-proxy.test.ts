import { readFileSync } from "node:fs";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { type AuthServer, startAuthServer } from "../plugins/mcp/auth-server.ts";
import { startHttpServer } from "../plugins/mcp/http-server.ts";
import { fixture, startProxy } from "../proxy.ts";
import { type Scratch, scratch } from "./scorel.ts";

const certificate = fixture("tls/models.test.cert.pem");
const portOf = (url: string) => Number(new URL(url).port);

/** Serves TLS for models.test in front of an MCP server and its authorization server. */
async function startTls({ mcp, port }: AuthServer) {
  const keys = { key: readFileSync(fixture("tls/models.test.key.pem")), cert: readFileSync(certificate) };
  const server = createServer(keys, (request, response) => {
    const { url: path, method, headers } = request;
    const to = path === "/mcp" ? portOf(mcp.url) : port;
    const onward = forward({ host: "127.0.0.1", port: to, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const use = (s: Scratch, url: string) =>
  s.file("~/.scorel/config.toml", `[[mcp.servers]]\nname = "far"\nurl = "${url}"\n`);

it("logs in at a server behind a proxy, uses it, and renews its token there", async () => {
  using s = scratch();
  await using auth = await startAuthServer({ origin: "https://models.test" });
  await using tls = await startTls(auth);
  await using proxy = await startProxy(tls.port);
  const env = { HTTPS_PROXY: `http://me:pass-word@${proxy.address}`, NODE_EXTRA_CA_CERTS: certificate };
  use(s, "https://models.test/mcp");
  const login = s.start(["mcp", "login", "far"], { env });
  const address = new URL(await login.line((line) => line.startsWith("https://models.test/authorize")));
  // The user's browser does not use the proxy.
  const { headers } = await fetch(`http://127.0.0.1:${auth.port}${address.pathname}${address.search}`, {
    redirect: "manual",
  });
  expect((await fetch(headers.get("location") as string)).status).toBe(200);
  expect(await login.finished).toMatchObject({ code: 0, stderr: "" });
  const tried = await s.run(["mcp", "test", "far"], { env });
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining("mcp__far__echo") });
  auth.expire();
  expect((await s.run(["mcp", "test", "far"], { env })).stdout).toContain("mcp__far__echo");
  expect(auth.asked.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
  await proxy.close();
  const credentials = Buffer.from("me:pass-word").toString("base64");
  expect(new Set(proxy.heard)).toEqual(new Set([`CONNECT models.test:443 Basic ${credentials}`]));
  expect(auth.mcp.seen.every((request) => !("proxy-authorization" in request.headers))).toBe(true);
});

it.each([false, true])(
  "a server without TLS is reached through a proxy; as a stream of events: %s",
  async (streams) => {
    using s = scratch({ inProcess: true });
    await using remote = await startHttpServer({ streams });
    await using proxy = await startProxy(portOf(remote.url));
    use(s, "http://models.test/mcp");
    const { stdout } = await s.run(["mcp", "test", "far"], { env: { http_proxy: proxy.address } });
    expect(stdout).toContain("mcp__far__echo");
    await proxy.close();
    expect(proxy.heard).toContain("POST http://models.test/mcp");
    expect(proxy.heard.at(-1)).toBe("DELETE http://models.test/mcp");
  },
);

it("a redirect to another origin is not followed behind a proxy either", async () => {
  using s = scratch({ inProcess: true });
  await using remote = await startHttpServer({ redirect: "http://other.test/mcp" });
  await using proxy = await startProxy(portOf(remote.url));
  use(s, "http://models.test/mcp");
  const { code } = await s.run(["mcp", "test", "far"], { env: { http_proxy: proxy.address } });
  await proxy.close();
  expect([code, proxy.heard.filter((line) => line.includes("other.test"))]).toEqual([1, []]);
});

it("no proxy is used for this computer and for hosts of NO_PROXY", async () => {
  using s = scratch({ inProcess: true });
  await using remote = await startHttpServer();
  await using proxy = await startProxy(portOf(remote.url));
  use(s, remote.url);
  expect((await s.run(["mcp", "test", "far"], { env: { HTTP_PROXY: proxy.address } })).code).toBe(0);
  use(s, "http://models.test/mcp");
  const env = { HTTP_PROXY: proxy.address, NO_PROXY: ".test" };
  expect((await s.run(["mcp", "test", "far"], { env })).code).toBe(1);
  await proxy.close();
  expect(proxy.heard).toEqual([]);
});

it("a proxy that refuses, or is not there, is named without its password", async () => {
  using s = scratch({ inProcess: true });
  const proxy = await startProxy(9, 407);
  const env = { HTTPS_PROXY: `http://me:pass-word@${proxy.address}` };
  use(s, "https://models.test/mcp");
  const refused = await s.run(["mcp", "test", "far"], { env });
  const login = await s.run(["mcp", "login", "far"], { env });
  await proxy.close();
  const gone = await s.run(["mcp", "test", "far"], { env });
  expect(refused.stderr).toContain(`the proxy ${proxy.address} answered 407`);
  expect(login.stderr).toContain(`the proxy ${proxy.address} answered 407`);
  expect(gone.stderr).toContain(`the proxy ${proxy.address}: ECONNREFUSED`);
  expect(refused.stderr + login.stderr + gone.stderr).not.toContain("pass-word");
});
