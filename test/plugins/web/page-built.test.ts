import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { answerApart, apartPage, writeApart } from "../../../plugins/web/apart.ts";
import { testHome } from "../host/home.ts";

const home = testHome();
afterAll(() => home[Symbol.dispose]());
const [one, two] = ["one", "two"].map((name) => join(home.home, name)) as [string, string];
const bundle = new URL("../../../plugins/web/bundle.mjs", import.meta.url).href;
const built = build(one, {});

/** Builds the page in a separate process with these variables. */
async function build(folder: string, variables: Record<string, string>): Promise<void> {
  const script = `const { buildPage } = await import(${JSON.stringify(bundle)}); await buildPage(${JSON.stringify(folder)})`;
  const { NODE_ENV: _, ...env } = process.env;
  const options = { cwd: home.home, env: { ...env, ...variables } };
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], options);
}

/** Digests of all files below a folder, by path. */
function digests(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, sha(256, readFileSync(join(folder, path)), "hex")]));
}

const sha = (bits: number, bytes: Buffer | string, encoding: "hex" | "base64") =>
  createHash(`sha${bits}`).update(bytes).digest(encoding);

describe("the built page", () => {
  it("is the same in all bytes when it is built again with other variables", { timeout: 120_000 }, async () => {
    await built;
    await build(two, { NODE_ENV: "test", TZ: "Asia/Tokyo", LC_ALL: "C", VITE_NAME: "x" });
    const first = digests(one);
    expect(Object.keys(first).length).toBeGreaterThan(10);
    expect(digests(two)).toEqual(first);
  });
});

describe("the page for servers that are no hosts", () => {
  it("has an index.html that binds all scripts and styles", { timeout: 120_000 }, async () => {
    await built;
    const folder = join(home.home, "written");
    const { hash, headers } = await writeApart(folder, one);
    const index = readFileSync(join(folder, "index.html"), "utf8");
    expect(hash).toBe(sha(256, index, "hex"));
    const names = readdirSync(join(folder, "page"));
    const bound = names.filter((name) => /\.(js|css)$/.test(name));
    expect(bound.length).toBeGreaterThan(5);
    for (const name of bound)
      expect(index).toContain(`sha384-${sha(384, readFileSync(join(folder, "page", name)), "base64")}`);
    const [, map = ""] = /<script type="importmap">(.*)<\/script>/.exec(index) ?? [];
    expect(Object.keys(JSON.parse(map).integrity)).toEqual(
      names.filter((name) => name.endsWith(".js")).map((name) => `./page/${name}`),
    );
    const policy = headers["Content-Security-Policy"] as string;
    expect(policy).toContain(`script-src 'self' 'sha256-${sha(256, map, "base64")}';`);
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'");
    expect(policy).toContain("worker-src 'none'");
    // There are no files that the digests do not cover, such as a manifest or a worker.
    expect(readdirSync(folder)).toEqual(["index.html", "index.html.gz", "page"]);
    expect(index).not.toMatch(/rel="manifest"|worker\.js/);
    expect(index.match(/<script/g)).toHaveLength(2);
    expect(index).toMatch(/<script type="module" crossorigin src="[^"]+" integrity="sha384-/);
    expect(index).toMatch(/<link rel="stylesheet" crossorigin href="[^"]+" integrity="sha384-/);
  });

  it("replaces an earlier page, and nothing else", async () => {
    await built;
    const [earlier, foreign] = ["earlier", "foreign"].map((name) => join(home.home, name)) as [string, string];
    const { hash } = await writeApart(earlier, one);
    expect(await writeApart(earlier, one)).toMatchObject({ hash });
    mkdirSync(foreign);
    writeFileSync(join(foreign, "index.html"), "My site");
    await expect(writeApart(foreign, one)).rejects.toMatchObject({ code: "WEB_PAGE_FOLDER" });
    expect(digests(foreign)).toEqual({ "index.html": sha(256, "My site", "hex") });
    await expect(writeApart(earlier, "/nowhere")).rejects.toMatchObject({ code: "WEB_PAGE_UNBUILT" });
  });

  it("is served with the headers of a host, and may connect only to its own address", async () => {
    await built;
    const page = await apartPage(one);
    const server = createServer((request, response) => answerApart(page, request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const index = await fetch(`${at}/`);
      expect(sha(256, await index.text(), "hex")).toBe(page.hash);
      expect(index.headers.get("content-security-policy")).toContain("connect-src 'self';");
      expect(index.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(index.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(index.headers.get("referrer-policy")).toBe("no-referrer");
      expect(index.headers.get("x-content-type-options")).toBe("nosniff");
      expect((await fetch(`${at}/worker.js`)).status).toBe(404);
      expect((await fetch(`${at}/page/../../package.json`)).status).toBe(404);
      expect((await fetch(`${at}/`, { method: "POST" })).status).toBe(405);
      const head = await fetch(`${at}/page/icon.svg`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
