import { afterEach, beforeEach, expect, it, vi } from "vitest";

// The page reads its link once, when it is loaded.
beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
});

/** Opens a link to pair with in a browser with this storage. Returns what the page knows, and what the tab stores. */
async function open(setItem: (key: string, text: string) => void) {
  const replaced: unknown[] = [];
  const storage = { getItem: () => null, setItem, removeItem: () => {} };
  vi.stubGlobal("sessionStorage", storage);
  vi.stubGlobal("location", { hash: "#pair=7Q2", pathname: "/", search: "" });
  vi.stubGlobal("history", { replaceState: (_state: unknown, _title: string, url: string) => replaced.push(url) });
  vi.stubGlobal("addEventListener", () => {});
  const link = await import("../../../plugins/web/page/host/pairing-link.ts");
  return { link, replaced };
}

it("a link to pair with is stored in the tab until the page is loaded anew", async () => {
  const stored = new Map<string, string>();
  const { link, replaced } = await open((key, text) => void stored.set(key, text));
  expect([[...stored], link.unstoredLink, replaced]).toEqual([[["scorel.pairing", '{"code":"#pair=7Q2"}']], "", ["/"]]);
});

it("without storage, the link stays known, to be handed to another page, and nothing is to be loaded anew", async () => {
  const { link, replaced } = await open(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  expect([link.unstoredLink, replaced, link.isPending()]).toEqual(["#pair=7Q2", ["/"], true]);
  expect(link.pending()).toEqual({ code: "#pair=7Q2" });
  expect(link.keepPending({ code: "7Q2", relay: "wss://relay.example", isAgreed: true })).toBe(false);
  link.forgetPending();
  expect(link.isPending()).toBe(false);
});
