import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { fetchThrough } from "../../../plugins/mcp/wire/proxied.ts";

const site = new URL("http://far.test/mcp");

/** A proxy that answers requests itself. */
async function startProxy(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it.each([
  ["gzip", gzipSync("hello")],
  ["br", brotliCompressSync("hello")],
])("an answer that is compressed (%s) is read", async (encoding, body) => {
  await using proxy = await startProxy((_, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(body),
  );
  expect(await (await fetchThrough(proxy.url, site)).text()).toBe("hello");
});

it("an answer that is damaged is an error of its reader", async () => {
  await using proxy = await startProxy((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"),
  );
  const response = await fetchThrough(proxy.url, site);
  await expect(response.text()).rejects.toThrow();
});

it("a form is sent as one, and an answer without a body has none", async () => {
  const seen: (string | undefined)[] = [];
  await using proxy = await startProxy((request, response) => {
    seen.push(request.url, request.headers["content-type"], request.headers["content-length"]);
    response.writeHead(204).end();
  });
  const body = new URLSearchParams({ a: "b c" });
  const { status, url, body: none } = await fetchThrough(proxy.url, site, { method: "POST", body });
  expect([status, url, none]).toEqual([204, site.href, null]);
  expect(seen).toEqual([site.href, "application/x-www-form-urlencoded;charset=UTF-8", "5"]);
});

it("a request can be stopped before the answer, and while it is read", async () => {
  await using proxy = await startProxy((request, response) => {
    if (request.method === "GET") response.write("first");
  });
  const early = new AbortController();
  const waiting = fetchThrough(proxy.url, site, { method: "POST", body: "x", signal: early.signal });
  early.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  const late = new AbortController();
  const response = await fetchThrough(proxy.url, site, { signal: late.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe("first");
  late.abort(new Error("stopped"));
  await expect(reader.read()).rejects.toThrow();
});

it("a reader that leaves closes the connection", async () => {
  let over: Promise<unknown> | undefined;
  await using proxy = await startProxy((_, response) => {
    response.write("first");
    over = once(response, "close");
  });
  const response = await fetchThrough(proxy.url, site);
  await response.body?.cancel();
  await over;
});
