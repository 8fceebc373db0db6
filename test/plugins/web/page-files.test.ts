import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { answer } from "../../../plugins/web/answer.ts";
import { readPage } from "../../../plugins/web/files.ts";
import type { WebRoute } from "../../../plugins/web-server/contract.ts";
import { testHome } from "../host/home.ts";
import { raw, statusOf, testWeb } from "../ws/home.ts";

const SCRIPT = `console.log(${"1".repeat(2_000)})`;

/** A folder like the one that the build makes. */
function built(home: { home: string }): string {
  const folder = join(home.home, "built");
  mkdirSync(join(folder, "page"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Page</title>");
  writeFileSync(join(folder, "page/index-aBcD_123.js"), SCRIPT);
  writeFileSync(join(folder, "page/index-aBcD_123.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "page/icon.svg"), "<svg/>");
  writeFileSync(join(folder, "worker.js"), "self.skipWaiting();");
  return folder;
}

/** A host whose web server answers with the page in a folder. */
async function pageHost() {
  const folder = testHome();
  const files = built(folder);
  const routes = ["/", "/page/", "/worker.js"].map(
    (path): WebRoute => ({ path, open: (...given) => answer(...given, { folder: files }) }),
  );
  const t = await testWeb({}, {}, undefined, routes);
  const get = (path: string, ...headers: string[]) =>
    raw(t.port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${t.port}`, "Connection: close", ...headers]);
  return {
    ...t,
    get,
    [Symbol.asyncDispose]: async () => {
      await t[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const headerOf = (answered: string, name: string) => new RegExp(`^${name}: (.*)\\r$`, "im").exec(answered)?.[1];

describe("the files of the page", () => {
  it("are sent to anybody, with a policy that lets in nothing from elsewhere", async () => {
    await using t = await pageHost();
    const index = await t.get("/");
    expect(statusOf(index)).toBe(200);
    expect(index).toContain("<title>Page</title>");
    expect(headerOf(index, "Content-Type")).toBe("text/html; charset=utf-8");
    expect(headerOf(index, "Cache-Control")).toBe("no-cache");
    expect(headerOf(index, "Cross-Origin-Opener-Policy")).toBe("same-origin");
    expect(headerOf(index, "Referrer-Policy")).toBe("no-referrer");
    expect(headerOf(index, "X-Content-Type-Options")).toBe("nosniff");
    const policy = headerOf(index, "Content-Security-Policy")?.split("; ") ?? [];
    expect(policy.slice(0, 3)).toEqual(["default-src 'none'", "script-src 'self'", "style-src 'self'"]);
    expect(policy).toEqual(
      expect.arrayContaining(["frame-ancestors 'none'", "trusted-types scorel-worker", "base-uri 'none'"]),
    );
    expect(policy.join(" ")).not.toMatch(/unsafe|\*|https?:/);
  });

  it("are kept by browsers as long as their name says what is in them, and are not sent twice", async () => {
    await using t = await pageHost();
    const script = await t.get("/page/index-aBcD_123.js", "Accept-Encoding: gzip");
    expect(headerOf(script, "Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(headerOf(script, "Content-Encoding")).toBe("gzip");
    const refusals = ["gzip;q=0", "br, gzip; q=0.000", "not-gzip"];
    for (const coding of refusals) {
      const plain = await t.get("/page/index-aBcD_123.js", `Accept-Encoding: ${coding}`);
      expect(headerOf(plain, "Content-Encoding")).toBeUndefined();
    }
    const weighed = await t.get("/page/index-aBcD_123.js", "Accept-Encoding: br;q=0, gzip;q=0.5");
    expect(headerOf(weighed, "Content-Encoding")).toBe("gzip");
    const index = await t.get("/");
    const again = await t.get("/", `If-None-Match: ${headerOf(index, "ETag")}`);
    expect(statusOf(again)).toBe(304);
    expect(again).not.toContain("<title>");
  });

  it("include a worker that browsers check again each time", async () => {
    await using t = await pageHost();
    const worker = await t.get("/worker.js");
    expect([statusOf(worker), headerOf(worker, "Content-Type"), headerOf(worker, "Cache-Control")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "no-cache",
    ]);
  });

  it.each([
    "/page/",
    "/page/other.js",
    "/page/index-aBcD_123.js.gz",
    "/page/..%2findex.html",
    "/page/%2e%2e/index.html",
    "/index.html",
  ])("are all that is served: not %s", async (path) => {
    await using t = await pageHost();
    expect([401, 404]).toContain(statusOf(await t.get(path)));
  });

  it("are sent to whoever follows a link of another site, and to nothing else of that site", async () => {
    await using t = await pageHost();
    const link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    expect(statusOf(await t.get("/", ...link))).toBe(200);
    expect(statusOf(await t.get("/openapi.json", ...link))).toBe(401);
    for (const [mode, dest] of [
      ["navigate", "iframe"],
      ["no-cors", "script"],
      ["cors", "empty"],
      ["navigate", ""],
    ])
      expect(
        statusOf(
          await t.get(
            "/page/index-aBcD_123.js",
            "Sec-Fetch-Site: cross-site",
            `Sec-Fetch-Mode: ${mode}`,
            `Sec-Fetch-Dest: ${dest}`,
          ),
        ),
      ).toBe(403);
    const post = await raw(t.port, [
      "POST / HTTP/1.1",
      `Host: 127.0.0.1:${t.port}`,
      "Content-Length: 0",
      "Connection: close",
    ]);
    expect(statusOf(post)).toBe(405);
  });

  it("are missing in sources that were not built, which is reported", async () => {
    await expect(readPage("/nowhere/built")).rejects.toMatchObject({ code: "WEB_PAGE_UNBUILT" });
  });
});
