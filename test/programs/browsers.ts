import type { Browser } from "playwright-core";
import { FaultProxy } from "../fault-proxy.ts";
import { findChromium } from "./chromium.ts";

/** Chromium, and what its connections to 127.0.0.1 go through, whatever their port. */
export interface BrowserBehind {
  browser: Browser;
  network: FaultProxy;
}

/** Browsers of a test file that no test uses now. Elsewhere none are kept, since nobody would close them. */
const free: BrowserBehind[] = [];
let isKeeping = false;

/** Keeps the browsers that are given back, as starting one takes as long as a short test. Returns a function that closes them. */
export function keepBrowsers(): () => Promise<void> {
  isKeeping = true;
  return async () => {
    isKeeping = false;
    for (const each of free.splice(0)) await close(each);
  };
}

/** A browser without pages. One with `args` of its own is started for them. */
export async function takeBrowser(args: readonly string[]): Promise<BrowserBehind> {
  const kept = args.length === 0 ? free.pop() : undefined;
  if (kept) return kept;
  const network = new FaultProxy({ host: "127.0.0.1", port: 0 });
  const through = `--host-resolver-rules=MAP 127.0.0.1 127.0.0.1:${await network.listen()}`;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", through, ...args],
  });
  return { browser, network };
}

/** Closes the pages of a browser, and keeps it unless it has `args` of its own. */
export async function giveBack(used: BrowserBehind, args: readonly string[]): Promise<void> {
  if (!isKeeping || args.length > 0 || !used.browser.isConnected()) return close(used);
  for (const context of used.browser.contexts()) await context.close();
  free.push(used);
}

async function close({ browser, network }: BrowserBehind): Promise<void> {
  await browser.close();
  await network[Symbol.asyncDispose]();
}
