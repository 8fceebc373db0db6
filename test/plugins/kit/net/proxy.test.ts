import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { proxyFor, requestThrough } from "../../../../plugins/kit/net/proxy.ts";

const chosen = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.href;

describe("the proxy for a server", () => {
  it.each([
    ["https://api.example/v1", { HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128/"],
    ["https://api.example/v1", { https_proxy: "proxy:3128", HTTPS_PROXY: "other:1" }, "http://proxy:3128/"],
    ["https://api.example/v1", { HTTP_PROXY: "http://proxy:3128" }, undefined],
    ["http://api.example/v1", { HTTP_PROXY: "https://proxy" }, "https://proxy/"],
    ["https://api.example/v1", { HTTPS_PROXY: "" }, undefined],
  ])("of %s with %j is %s", (url, env, proxy) => {
    expect(chosen(url, env)).toBe(proxy);
  });

  it.each([
    ["http://127.0.0.1:11434/v1", ""],
    ["http://localhost:1/v1", ""],
    ["http://[::1]:1/v1", ""],
    ["http://api.example/v1", "*"],
    ["http://api.example/v1", "other.example, api.example"],
    ["http://api.example/v1", ".example"],
    ["http://api.example/v1", "*.example"],
    ["http://API.example:8080/v1", "example:8080"],
    ["http://10.0.0.7/v1", "10.0.0.7"],
    ["http://[fd00::7]/v1", "fd00::7"],
    ["http://[fd00::7]/v1", "[FD00::7]"],
    ["http://[fd00::7]:8080/v1", "[fd00::7]:8080"],
  ])("of %s is not used with NO_PROXY=%s", (url, list) => {
    expect(chosen(url, { HTTP_PROXY: "proxy:1", NO_PROXY: list })).toBeUndefined();
  });

  it.each(["ample", "example:81", "pi.example", ",", "api.example.org"])("is used in spite of NO_PROXY=%s", (list) => {
    expect(chosen("http://api.example/v1", { HTTP_PROXY: "proxy:1", no_proxy: list })).toBe("http://proxy:1/");
  });

  it.each(["socks5://proxy:1", "http://"])("with the invalid address %s is refused, without showing it", (written) => {
    expect(() => chosen("http://api.example", { HTTP_PROXY: written })).toThrow(
      expect.objectContaining({
        cause: new Error("the variable HTTP_PROXY names no proxy that is reached over http or https"),
      }),
    );
  });
});

it.each([
  ["ann:a%40b", "ann:a@b"],
  ["ann:100%", "ann:100%"],
])("the login %s of a proxy is sent as %s, and only to the proxy", async (written, sent) => {
  const server = createServer(({ headers }, response) =>
    response.end(JSON.stringify([headers["proxy-authorization"], headers.authorization ?? "none"])),
  );
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL("http://api.example/");
  const proxy = proxyFor(url, { http_proxy: `http://${written}@127.0.0.1:${port}` }) as URL;
  const request = await requestThrough(proxy, url, { agent: false }, undefined);
  request.end();
  const [response] = await once(request, "response");
  const received = JSON.parse(String(Buffer.concat(await response.toArray())));
  expect(received).toEqual([`Basic ${Buffer.from(sent).toString("base64")}`, "none"]);
});
