import type { Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage, keysOf } from "./browser.ts";

/** Opens a page that shows a session, and waits until its worker has saved the page's files. */
async function installed(t: BrowserStage, before?: (page: Page) => Promise<unknown>): Promise<Page> {
  await t.s.run(["-p", "a question"]);
  const page = await t.open({ ...(before && { before }) });
  await page.getByRole("link", { name: "a question" }).click();
  await page.getByRole("log").getByText("The answer.").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  return page;
}

/** The addresses in each of the browser's caches. */
function kept(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const found: Record<string, string[]> = {};
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys();
      found[name] = requests.map(({ url }) => url).sort();
    }
    return found;
  });
}

itWith("chromium", "the page can be installed as an app", async () => {
  await using t = await browserStage([text("The answer.")]);
  const page = await installed(t);
  const devtools = await page.context().newCDPSession(page);
  const { errors, data = "{}" } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect(JSON.parse(data)).toMatchObject({ name: "Scorel", start_url: "../", scope: "../", display: "standalone" });
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // Pages in a context without a profile, like all of these, can never be installed.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a page that is loaded anew while its host is away is there, with what was seen", async () => {
  await using t = await browserStage([text("The answer.")]);
  const page = await installed(t);
  // The lists and the session are saved.
  await eventually(async () => expect(await keysOf(page)).toHaveLength(2));

  t.network.refuse(true);
  await page.reload();
  await page.getByText("The host cannot be reached.").first().waitFor();
  await page.getByRole("log").getByText("The answer.").waitFor();
  const policy = await page.evaluate(async (href) => {
    const answer = await caches.match(href, { ignoreVary: true });
    return answer?.headers.get("Content-Security-Policy");
  }, `${t.address}/`);
  expect(policy).toContain("default-src 'none'");

  t.network.refuse(false);
  await page.getByText("The host cannot be reached.").first().waitFor({ state: "detached" });
});

itWith("chromium", "a page whose cache cannot be read is loaded from its host", async () => {
  await using t = await browserStage([text("The answer.")]);
  const page = await installed(t);
  const [worker] = page.context().serviceWorkers();
  // As with a full or damaged disk.
  await worker?.evaluate(() => {
    CacheStorage.prototype.open = () => Promise.reject(new Error("Unexpected internal error."));
  });
  await page.reload();
  await page.getByRole("log").getByText("The answer.").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the browser's caches have the files of the page alone, those of this build", async () => {
  await using t = await browserStage([text("The answer.")]);
  const old = `scorel-shell ${t.address}/ of-an-older-build`;
  const page = await installed(t, (page) =>
    page.addInitScript(async (name) => {
      if (sessionStorage.getItem("was-here") === null) await caches.open(name);
      sessionStorage.setItem("was-here", "");
    }, old),
  );
  await eventually(async () => expect(Object.keys(await kept(page))).toHaveLength(1));
  const [files = []] = Object.values(await kept(page));
  expect(files[0]).toBe(`${t.address}/`);
  expect(files.slice(1).filter((url) => !url.startsWith(`${t.address}/page/`))).toEqual([]);
  expect(files.length).toBeGreaterThan(5);
  expect(t.complaints).toEqual([]);
});
