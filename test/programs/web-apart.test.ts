import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { extname, join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { behindRelay } from "./behind-relay.ts";
import { findPageBrowser } from "./chromium.ts";

const TYPES: Record<string, string> = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript" };
const local = { bind: "127.0.0.1" };
const desk = hostname().split(".")[0] as string;

/** A web server for the files of a folder, without Scorel. */
async function staticServer(folder: string) {
  const server = createServer(({ url = "/" }, response) => {
    const path = join(folder, url === "/" ? "index.html" : url);
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "image/svg+xml" }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function browser() {
  const running = await chromium.launch({ executablePath: findPageBrowser(), args: ["--no-sandbox"] });
  const context = await running.newContext({ locale: "en-US" });
  const complaints: string[] = [];
  return {
    complaints,
    open: async (address: string): Promise<Page> => {
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      await page.goto(address);
      return page;
    },
    [Symbol.asyncDispose]: () => running.close(),
  };
}

const agree = (page: Page) => page.getByRole("button", { name: "Pair", exact: true }).click();

/** The link to a page that `scorel pair` prints for a host, and its hash. */
async function linkOf(r: Awaited<ReturnType<typeof behindRelay>>, page: string, ...more: string[]) {
  const { finished, line } = await r.offer("--page", page, ...more);
  const link = (await line((each) => each.includes("#pair="))).trim();
  const hash = (await line((each) => /^ +[0-9a-f]{64}$/.test(each))).trim();
  return { finished, link, hash };
}

itWith("chromium", "the page of a relay pairs with a host and works there, without a host of its own", async () => {
  await using r = await behindRelay({ ...local, args: ["--page"] });
  await using second = await behindRelay(local);
  await using b = await browser();
  await r.host.run(["-p", "a question there"]);
  const address = r.address.replace(/^ws(.*)relay$/, "http$1");
  const { finished, link, hash } = await linkOf(r, address);
  expect(link.startsWith(`${address}#pair=`)).toBe(true);
  const served = await fetch(address);
  expect(
    createHash("sha256")
      .update(await served.text())
      .digest("hex"),
  ).toBe(hash);
  expect(served.headers.get("content-security-policy")).toContain("connect-src 'self';");

  const page = await b.open(link);
  await page.getByRole("heading", { name: "Pair this browser with a host" }).waitFor();
  await page.getByText(`behind the relay ${r.address}`).waitFor();
  expect(await barriers(page, "where a page of no host pairs")).toEqual([]);
  await agree(page);
  expect((await finished).stdout).toContain("is paired, and may use this host (view, prompt, approve).");
  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("Write a file.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("Written there.").waitFor();
  expect(b.complaints).toEqual([]);

  // The pairing is still there after a reload, when the relay is back.
  await r.kill();
  await r.serveAgain();
  await page.reload();
  await page.getByRole("log").getByText("Written there.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("Go on.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("The answer after the relay.").waitFor();
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);

  // A second host is added to the first one.
  const other = await linkOf(second, address, "--relay", r.address);
  await page.goto(other.link);
  await agree(page);
  await other.finished;
  const devices = page.getByRole("region", { name: "Devices" });
  await devices.getByRole("link", { name: desk }).nth(1).getByText("connected").waitFor();
  expect(await devices.getByRole("link").count()).toBe(2);

  // When a host revokes the browser, the other host stays.
  expect(await r.host.run(["device", "revoke", await deviceOf(r)])).toMatchObject({ code: 0 });
  await page.getByRole("alert").getByText("was revoked").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await devices.getByRole("link", { name: desk }).first().getByText("connected").waitFor();
  await devices.getByRole("link", { name: desk }).nth(1).getByText("revoked").waitFor();
});

itWith("chromium", "a written page works at any web server, and runs no script that was changed there", async () => {
  await using r = await behindRelay(local);
  await using b = await browser();
  using s = scratch();
  await r.host.run(["-p", "a question there"]);
  const folder = join(s.home, "page");
  const written = await s.run(["relay", "page", folder]);
  expect(written).toMatchObject({ code: 0 });
  await using server = await staticServer(folder);
  const { finished, link, hash } = await linkOf(r, server.address);
  expect(written.stdout).toContain(hash);
  expect(
    createHash("sha256")
      .update(readFileSync(join(folder, "index.html")))
      .digest("hex"),
  ).toBe(hash);

  const page = await b.open(link);
  await agree(page);
  await finished;
  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  expect(b.complaints).toEqual([]);

  // The page loads this script late, when it needs it to reach the host.
  const [script = ""] = readdirSync(join(folder, "page")).filter((name) => /^relay-.*\.js$/.test(name));
  appendFileSync(join(folder, "page", script), ";globalThis.wasHere = true;");
  const changed = await b.open(server.address);
  await changed.getByRole("alert").getByText("The host cannot be reached.").waitFor();
  expect(await changed.evaluate(() => "wasHere" in globalThis)).toBe(false);
  expect(b.complaints.join("\n")).toContain("integrity");
});

itWith("chromium", "a link to the page of a host pairs in a browser that has no token of it", async () => {
  await using r = await behindRelay(local);
  await using b = await browser();
  await r.host.run(["-p", "a question there"]);
  const { stdout } = await r.host.run(["up", "--no-open", "--port", "0"]);
  const [, address = ""] = /(http\S+\/)#code=/.exec(stdout) ?? [];
  const { finished, link } = await linkOf(r, address);
  const page = await b.open(link);
  await page.getByRole("heading", { name: "Pair this browser with a host" }).waitFor();
  await page.getByText(`behind the relay ${r.address}`).waitFor();
  expect(page.url()).toBe(`${address}apart/`);
  await agree(page);
  await finished;
  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  await page.reload();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  expect(b.complaints).toEqual([]);
  // Without a pairing link, the host's page asks for its token as usual.
  await (await b.open(address)).getByLabel("Token").waitFor();
});

/** The id under which the host lists the browser. */
async function deviceOf(r: Awaited<ReturnType<typeof behindRelay>>): Promise<string> {
  const { devices } = JSON.parse((await r.host.run(["device", "list", "--json"])).stdout);
  return devices[0].id;
}
