import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectHost } from "@scorel/host/client";
import type { BrowserContextOptions, Page } from "playwright-core";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { type Scratch, scratch } from "../e2e/scorel.ts";
import type { FaultProxy } from "../fault-proxy.ts";
import { type Script, startModelServer } from "../model-server.ts";
import { type BrowserNeeds, giveBack, takeBrowser } from "./browsers.ts";

/** Milliseconds that a test waits for what a page has to show, which a loaded machine may need. */
const PATIENCE_MS = 60_000;

/** A host with a page, and a browser. */
export interface BrowserStage extends AsyncDisposable {
  s: Scratch;
  /** The address of the host: `http://127.0.0.1:<port>`. */
  address: string;
  /** The proxy for the browser's connections to the host. */
  network: FaultProxy;
  /** Errors on the console of any page. */
  complaints: string[];
  /** A link that logs a page in once, as `scorel up` prints it in this directory. Default: the home */
  link(from?: string): Promise<string>;
  /** Opens a page with this link, by default a new one. `before` prepares the page before it loads. */
  open(options?: BrowserContextOptions & { link?: string; before?(page: Page): Promise<unknown> }): Promise<Page>;
}

/** Configuration with which nothing is asked, since the option `--yes` of a command is not for the pages that open its session. */
export const FULL = '\n[permissions]\nmode = "full"\n';

/**
 * Starts a model server with these replies, and a host in the background with a port for a browser. The browser is one
 * that an earlier test of the file has used, or a new one if the test has needs. `more` is added to the model's table
 * in the configuration.
 */
export async function browserStage(
  replies: Script,
  { more = "", ...needs }: { more?: string } & BrowserNeeds = {},
): Promise<BrowserStage> {
  const s = scratch({ inProcess: true });
  const model = await startModelServer(replies);
  s.useModel(model.baseUrl, more);
  const served = await s.run(["host", "serve", "--port", "0"], { ownProcess: true });
  const [address = ""] = /http:\/\/[\d.:]+/.exec(served.stdout) ?? [];
  const used = await takeBrowser(needs);
  const { browser, network } = used;
  network.leadTo({ host: "127.0.0.1", port: Number(new URL(address).port) });
  const complaints: string[] = [];
  // Run in a project's directory, the command makes a link to a new session there.
  const link = async (from = s.home) => {
    const { stdout, stderr } = await s.run(["up", "--no-open"], { cwd: from });
    return /http\S+#code=\S+/.exec(stdout)?.[0] ?? `scorel up failed: ${stderr}`;
  };
  return {
    s,
    address,
    network,
    complaints,
    link,
    open: async ({ link: given, before, ...options } = {}) => {
      const context = await browser.newContext({ locale: "en-US", ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await before?.(page);
      await page.goto(given ?? (await link()));
      return page;
    },
    async [Symbol.asyncDispose]() {
      await giveBack(used, needs);
      await s.run(["host", "stop"]);
      await model.close();
      s[Symbol.dispose]();
    },
  };
}

/** Connects a client to the host with this home, in addition to the pages. */
export async function hostClient(home: string, name: string) {
  const { addresses } = JSON.parse(readFileSync(join(home, ".scorel/run/host.json"), "utf8"));
  return connectHost({ dial: () => dialSocket(addresses[0].address), name, version: "1.0.0" });
}

/** The keys under which a page has saved data of sessions. */
export function keysOf(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open("scorel");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction("texts").objectStore("texts").getAllKeys();
          reading.onsuccess = () => {
            database.close();
            resolve(reading.result.map(String));
          };
        };
      }),
  );
}
