import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { expect } from "vitest";
import { itWith } from "../optional.ts";
import { drawingDesk, drawn, filled } from "../plugins/transfer/page.ts";
import { payloads } from "../plugins/transfer/payloads.ts";
import { findPageBrowser } from "./chromium.ts";
import { watched } from "./watched.ts";

async function tab(browser: Browser, asked: string[]) {
  const page = await browser.newPage();
  page.on("request", (request) => {
    const own = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (!own || !request.url().startsWith("file:")) asked.push(request.url());
  });
  page.on("dialog", (dialog) => {
    asked.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", () => asked.push("a window"));
  return page;
}

itWith(
  "chromium",
  "an exported page asks for nothing and opens nothing in a browser, whatever was said in it",
  async () => {
    await using t = await drawingDesk();
    await using web = await watched();
    const browser = await chromium.launch({ executablePath: findPageBrowser(), args: ["--no-sandbox"] });
    try {
      const page = await tab(browser, web.asked);
      const every = payloads(web.url);
      expect(every.length).toBeGreaterThanOrEqual(200);
      for (const [index, words] of every.entries()) {
        const file = join(t.home.home, `page-${index}.html`);
        const sessionId = await filled(t, words);
        const { content } = await t.client.request("export_session", { sessionId, format: "html" });
        writeFileSync(file, String(content));
        await page.goto(`file://${file}`, { waitUntil: "load" });
        const seen = await page.evaluate(look);
        expect({ words, ...seen }).toEqual({ words, scripts: 0, handlers: 0, links: [], frames: 0, pages: 1 });
      }
      expect(web.asked).toEqual([]);
      const heard = join(t.home.home, "heard.html");
      writeFileSync(heard, `<img src="${web.url}/heard.png"><script>alert(1)</script>`);
      await page.goto(`file://${heard}`, { waitUntil: "load" });
      expect(web.asked.sort()).toEqual(["/heard.png", "dialog 1", `${web.url}/heard.png`]);
    } finally {
      await browser.close();
    }
  },
  180_000,
);

/** Runs in the page: expands everything, and counts forbidden elements. */
function look() {
  const { document } = globalThis as unknown as { document: any };
  for (const details of document.querySelectorAll("details")) details.open = true;
  const every = [...document.querySelectorAll("*")];
  const bad = (link: any) => !/^(https?:|mailto:)/.test(link.href) && link.getAttribute("href") !== "#";
  return {
    scripts: document.querySelectorAll("script,object,embed,link,base,form,video,audio,svg,math").length,
    handlers: every.filter((one) => [...one.attributes].some(({ name }: any) => name.startsWith("on"))).length,
    links: [...document.querySelectorAll("a")]
      .filter((link) => bad(link) || link.rel !== "noreferrer noopener")
      .map((link) => link.href),
    frames: document.querySelectorAll("iframe,frame").length,
    pages: document.querySelectorAll("main").length,
  };
}

itWith("chromium", "an exported page shows on paper what is folded on a screen", async () => {
  await using t = await drawingDesk();
  const sessionId = await drawn(t, [{ display: "fold", title: "Title", text: "folded words" }]);
  const { content } = await t.client.request("export_session", { sessionId, format: "html" });
  const browser = await chromium.launch({ executablePath: findPageBrowser(), args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.setContent(String(content));
    const seen = () => page.getByText("folded words").isVisible();
    expect(await seen()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await seen()).toBe(true);
  } finally {
    await browser.close();
  }
});
