import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";

// The page reads the code of its link once, when it is loaded.
beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
});

/** Opens a link with a code, which is answered with `answer`. Returns the result, and what the tab stores. */
async function open(answer: () => Response): Promise<{ entered: unknown; stored: Record<string, string> }> {
  const stored = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
  vi.stubGlobal("location", { hash: "#code=abc", pathname: "/", search: "" });
  vi.stubGlobal("history", { replaceState: () => {} });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("fetch", async () => answer());
  const { enter } = await import("../../../plugins/web/page/host/access.ts");
  const entered = await enter().catch(({ message }: Error) => message);
  return { entered, stored: Object.fromEntries(stored) };
}

it("the code of a link is exchanged for a token", async () => {
  expect(await open(() => Response.json({ token: "t", directory: "/p" }))).toEqual({
    entered: { token: "t", wasRefused: false, directory: "/p" },
    stored: { "scorel.token": "t" },
  });
});

it("a code that the host refuses is not kept", async () => {
  expect(await open(() => new Response("WEB_TOKEN", { status: 401 }))).toEqual({
    entered: { token: undefined, wasRefused: true },
    stored: {},
  });
});

it.each([500, 502, 503, 504])("the code is kept for another attempt if a proxy answers with %d", async (status) => {
  expect(await open(() => new Response("Bad Gateway", { status }))).toEqual({
    entered: `The server answered with status ${status}.`,
    stored: { "scorel.code": "abc" },
  });
});

it("without storage, as in a browser that allows none, the code is exchanged, and the token lasts as long as the page", async () => {
  vi.stubGlobal("location", { hash: "#code=abc", pathname: "/", search: "" });
  vi.stubGlobal("history", { replaceState: () => {} });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("fetch", async () => Response.json({ token: "t" }));
  const original = Object.getOwnPropertyDescriptor(globalThis, "sessionStorage");
  const denied = () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  };
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: denied });
  onTestFinished(() => {
    if (original) Object.defineProperty(globalThis, "sessionStorage", original);
    else Reflect.deleteProperty(globalThis, "sessionStorage");
  });
  const { enter, forgetTokens, keptToken } = await import("../../../plugins/web/page/host/access.ts");
  expect([await enter(), keptToken()]).toEqual([{ token: "t", wasRefused: false }, "t"]);
  forgetTokens();
  expect(keptToken()).toBeUndefined();
});
