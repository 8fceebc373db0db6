import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { httpFetch } from "../../plugins/model/wire/http-fetch.ts";
import { ReplyPassage } from "../../plugins/model/wire/reply-passage.ts";

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x?y=1`, [Symbol.asyncDispose]: close };
}

describe("the model's fetch", () => {
  it("sends method, path, headers and body, and answers a response like any other", async () => {
    await using server = await serving(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      const { method, url, headers } = request;
      response.writeHead(201, "Made", { "x-twice": ["a", "b"], "content-type": "application/json" });
      response.end(JSON.stringify({ method, url, mine: headers["x-mine"], length: headers["content-length"], body }));
    });
    const response = await httpFetch(server.url, { method: "POST", headers: { "X-Mine": "1" }, body: "grüße" });
    const { ok, status, statusText, url, headers } = response;
    expect({ ok, status, statusText, url, twice: headers.get("x-twice"), said: await response.json() }).toEqual({
      ok: true,
      status: 201,
      statusText: "Made",
      url: server.url,
      twice: "a, b",
      said: { method: "POST", url: "/v1/x?y=1", mine: "1", length: "7", body: "grüße" },
    });
  });

  it("sends a request again when the kept connection was closed under it, once, and no other request", async () => {
    const asked: string[] = [];
    await using server = await serving((request, response) => {
      asked.push(`${request.method} ${request.socket.remotePort === first ? "kept" : "new"}`);
      if (request.socket.remotePort === first || asked.length > 3) return request.socket.destroy();
      first ??= request.socket.remotePort;
      response.end("answered");
    });
    let first: number | undefined;
    const ask = async () => (await httpFetch(server.url, { method: "POST", body: "hi" })).text();
    expect([await ask(), await ask()]).toEqual(["answered", "answered"]);
    expect(asked).toEqual(["POST new", "POST kept", "POST new"]);
    first = undefined;
    await expect(ask()).rejects.toThrow("fetch failed");
    expect(asked.slice(3)).toEqual(["POST new", "POST new"]);
  });

  it("passes on pieces as they arrive", async () => {
    let next: (() => void) | undefined;
    await using server = await serving((_request, response) => {
      response.write("one");
      next = () => response.end("two");
    });
    const heard: string[] = [];
    for await (const piece of (await httpFetch(server.url)).body as unknown as AsyncIterable<Uint8Array>) {
      heard.push(Buffer.from(piece).toString());
      next?.();
    }
    expect(heard).toEqual(["one", "two"]);
  });

  it.each([
    ["gzip", gzipSync("packed")],
    ["br", brotliCompressSync("packed")],
  ])("decompresses a body that was sent as %s without being requested", async (encoding, bytes) => {
    await using server = await serving((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(bytes);
    });
    expect(await (await httpFetch(server.url)).text()).toBe("packed");
  });

  it("follows no redirect, and answers a bodyless status without a body", async () => {
    await using server = await serving(({ url }, response) => {
      response.writeHead(url === "/v1/x?y=1" ? 302 : 204, { location: "/elsewhere" }).end();
    });
    expect((await httpFetch(server.url)).status).toBe(302);
    expect((await httpFetch(new URL("/other", server.url))).body).toBeNull();
  });

  it("rejects as fetch does: the system's error as the cause, or the signal's reason", async () => {
    const server = await serving(() => {});
    const control = new AbortController();
    const waiting = httpFetch(server.url, { signal: control.signal });
    control.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(httpFetch(server.url, { signal: control.signal })).rejects.toThrow("enough");
    await server[Symbol.asyncDispose]();
    await expect(httpFetch(server.url)).rejects.toMatchObject({
      message: "fetch failed",
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("fails the body when what was held back of it cannot be passed on at its end", async () => {
    const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    await using server = await serving((_request, response) => {
      response.end(`{"choices":[{"message":{"content":"hi","nested":${nested}}}]}`);
    });
    const listener = { failed: () => {}, refused: () => {}, mayJoin: () => false };
    const response = await httpFetch(server.url, {}, new ReplyPassage("openai-completions", listener));
    await expect(response.text()).rejects.toThrow("Maximum call stack size exceeded");
  });

  it("fails the body when the connection is cut or the reader's signal aborts, and closes it when the reader leaves", async () => {
    const gone: string[] = [];
    await using server = await serving(({ url = "" }, response) => {
      response.write("half");
      response.on("close", () => void gone.push(url));
      if (url === "/cut") response.write("more", () => response.destroy());
    });
    const cut = await httpFetch(new URL("/cut", server.url));
    await expect(cut.text()).rejects.toMatchObject({ message: "terminated", cause: { code: "ECONNRESET" } });
    const control = new AbortController();
    const aborted = await httpFetch(new URL("/abort", server.url), { signal: control.signal });
    const text = aborted.text();
    control.abort();
    await expect(text).rejects.toThrow();
    const left = await httpFetch(new URL("/leave", server.url));
    await left.body?.cancel();
    await expect.poll(() => gone.sort()).toEqual(["/abort", "/cut", "/leave"]);
  });
});
