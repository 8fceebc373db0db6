import type { Browser } from "playwright-core";
import { FaultProxy } from "../fault-proxy.ts";
import { findChromium, findPageBrowser } from "./chromium.ts";

/** Chromium, and the proxy for its connections to 127.0.0.1, on any port. */
export interface BrowserBehind {
  browser: Browser;
  network: FaultProxy;
}

/** Browsers that no test uses at the moment. It stays empty where nothing would close them. */
const free: BrowserBehind[] = [];
let isKeeping = false;

/**
 * Keeps browsers for later tests of the file, since starting one takes as long as a short test. Returns a function that
 * closes them.
 */
export function keepBrowsers(): () => Promise<void> {
  isKeeping = true;
  return async () => {
    isKeeping = false;
    for (const each of free.splice(0)) await close(each);
  };
}

/** Requirements that not all browsers fulfil. A browser with requirements is started for one test, and not kept. */
export interface BrowserNeeds {
  /** Further arguments of the command line. */
  args?: readonly string[];
  /** A whole browser. The headless shell lacks some functions, such as notifications. */
  full?: boolean;
}

/** A browser without pages; a new one if the test has needs. */
export async function takeBrowser(needs: BrowserNeeds): Promise<BrowserBehind> {
  const kept = isCommon(needs) ? free.pop() : undefined;
  if (kept) return kept;
  const network = new FaultProxy({ host: "127.0.0.1", port: 0 });
  const through = `--host-resolver-rules=MAP 127.0.0.1 127.0.0.1:${await network.listen()}`;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: needs.full ? findChromium() : findPageBrowser(),
    args: ["--no-sandbox", through, ...(needs.args ?? [])],
  });
  return { browser, network };
}

/** Closes the pages of a browser, and keeps it unless it was started for its needs. */
export async function giveBack(used: BrowserBehind, needs: BrowserNeeds): Promise<void> {
  if (!isKeeping || !isCommon(needs) || !used.browser.isConnected()) return close(used);
  for (const context of used.browser.contexts()) await context.close();
  free.push(used);
}

function isCommon({ args = [], full = false }: BrowserNeeds): boolean {
  return args.length === 0 && !full;
}

async function close({ browser, network }: BrowserBehind): Promise<void> {
  await browser.close();
  await network[Symbol.asyncDispose]();
}
