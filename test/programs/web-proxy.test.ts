import { request as ask, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { expect } from "vitest";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { certificate, privateKey } from "../plugins/ws/certificate.ts";
import { browserStage } from "./browser.ts";

/** The path below which the proxy serves the host. */
const BELOW = "/scorel";

/** A TLS proxy that forwards requests below a path, like those in the guide. */
async function tlsProxy(): Promise<AsyncDisposable & { origin: string; port: number; leadsTo(target: string): void }> {
  let target = new URL("http://127.0.0.1:1");
  const sockets = new Set<Duplex>();
  const inner = ({ url = "", headers }: IncomingMessage) => ({
    path: url.slice(BELOW.length),
    headers: { ...headers, host: target.host },
  });
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    if (!request.url?.startsWith(`${BELOW}/`)) {
      response.writeHead(404).end();
      return;
    }
    const { hostname, port } = target;
    const passed = ask({ hostname, port, method: request.method, ...inner(request) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.writeHead(502).end());
    request.pipe(passed);
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("upgrade", (request, socket, head) => {
    const { path, headers } = inner(request);
    const far = connect(Number(target.port), target.hostname, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      far.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
      far.write(head);
      far.pipe(socket).pipe(far);
    });
    for (const [one, other] of [
      [far, socket],
      [socket, far],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `https://localhost:${port}`,
    leadsTo: (address) => {
      target = new URL(address);
    },
    async [Symbol.asyncDispose]() {
      const closing = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closing;
    },
  };
}

itWith("chromium", "the page works below a path of a proxy that encrypts, and can be installed there", async () => {
  await using proxy = await tlsProxy();
  await using t = await browserStage([text("The first answer."), text("The second answer.")], {
    more: `\n[web-server]\norigins = ["${proxy.origin}"]\n`,
    // No authority has signed the certificate.
    args: ["--ignore-certificate-errors"],
  });
  proxy.leadsTo(t.address);
  const { stdout, stderr } = await t.s.run(["up", "--at", `${proxy.origin}${BELOW}/`]);
  expect(stderr).toBe("");
  const [link = ""] = /https:\S+#code=\S+/.exec(stdout) ?? [];
  expect(link).toContain(`${proxy.origin}${BELOW}/#code=`);
  await t.s.run(["-p", "a question"]);

  const page = await t.open({ link });
  await page.getByRole("link", { name: "a question" }).click();
  await page.getByRole("log").getByText("The first answer.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("another question");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("The second answer.").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)).toBe(`${proxy.origin}${BELOW}/`);
  const devtools = await page.context().newCDPSession(page);
  expect((await devtools.send("Page.getAppManifest")).errors).toEqual([]);

  await page.reload();
  await page.getByRole("log").getByText("The second answer.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a link may allow less than everything", async () => {
  await using t = await browserStage([text("The answer.")]);
  await t.s.run(["-p", "a question"]);
  const { stdout } = await t.s.run(["up", "--no-open", "--scope", "view"]);
  const page = await t.open({ link: /http\S+#code=\S+/.exec(stdout)?.[0] ?? "" });
  await page.getByRole("link", { name: "a question" }).click();
  await page.getByRole("log").getByText("The answer.").waitFor();
  await page.getByText("This page's token may read sessions.").first().waitFor();
  expect(await t.s.run(["up", "--no-open", "--scope", "wiew"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("wiew"),
  });
  expect(await t.s.run(["up", "--at", "example.org"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("https://"),
  });
});
