import type { Page } from "playwright-core";

/**
 * Everything a page must not do: active elements, event handlers, dangerous addresses, violations of its policy,
 * requests to others, dialogs and windows.
 */
export interface Guard {
  seen(): Promise<string[]>;
}

/** Reloads a page and watches it continuously from then on. */
export async function guard(page: Page, address: string): Promise<Guard> {
  const outside: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith("blob:")) outside.push(`request ${url}`);
  });
  page.on("dialog", (dialog) => {
    outside.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", () => outside.push("a window"));
  await page.addInitScript(watch);
  await page.reload();
  return { seen: async () => [...outside, ...(await page.evaluate<string[]>("globalThis.seenByGuard"))] };
}

/** Runs in the page, before its own scripts. */
function watch() {
  const { document, location, MutationObserver, addEventListener } = globalThis as any;
  const seen = new Set<string>();
  const acting = new Set(
    "iframe frame object embed base meta form video audio math style template foreignobject".split(" "),
  );
  /** Whether an address is a resource of the page, from its own host. */
  const own = (url: unknown) => String(url).startsWith(`${location.origin}/page/`);
  const isOwnForm = (element: any) => element.localName === "form" && !element.hasAttribute("action");
  const isOwnMeta = (element: any) => element.localName === "meta" && !element.hasAttribute("http-equiv");
  const check = (element: any) => {
    const { localName: name } = element;
    if (acting.has(name) && !isOwnForm(element) && !isOwnMeta(element)) seen.add(`element ${name}`);
    if (/^(script|link)$/.test(name) && !own(element.src || element.href)) seen.add(`${name} ${element.outerHTML}`);
    if (name === "img" && !/^(blob:|data:image\/)/.test(element.src) && !own(element.src))
      seen.add(`img ${element.src}`);
    for (const attribute of element.attributes) {
      if (attribute.name.startsWith("on")) seen.add(`handler ${attribute.name} of ${name}`);
      if (
        /^\s*(javascript|vbscript|data|file):/i.test(attribute.value) &&
        /^(href|src|action|data)$/.test(attribute.name)
      )
        seen.add(`address ${attribute.value}`);
    }
    const isWithin = element.getAttribute("href")?.startsWith("#/");
    if (name !== "a" || isWithin || !element.hasAttribute("href")) return;
    if (!/^(https?|mailto):/.test(element.href)) seen.add(`link ${element.href}`);
    if (!/noopener.*nofollow/.test(element.rel) || element.target !== "_blank")
      seen.add(`link without rel ${element.href}`);
  };
  const checkAll = (node: any) => {
    if (node.nodeType !== 1) return;
    check(node);
    for (const inner of node.querySelectorAll("*")) check(inner);
  };
  addEventListener("securitypolicyviolation", (event: any) => seen.add(`policy ${event.violatedDirective}`));
  new MutationObserver((records: any[]) => {
    for (const { type, target, addedNodes } of records)
      if (type === "attributes") check(target);
      else for (const node of addedNodes) checkAll(node);
  }).observe(document, { subtree: true, childList: true, attributes: true });
  Object.defineProperty(globalThis, "seenByGuard", { get: () => [...seen] });
}
