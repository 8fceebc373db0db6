import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** The strings of a browser's storage, as its own properties. */
class TestStorage {
  [key: string]: unknown;

  getItem(key: string) {
    return this[key] ?? null;
  }

  setItem(key: string, text: string) {
    this[key] = text;
  }

  removeItem(key: string) {
    delete this[key];
  }
}

// The page forgets for as long as it is loaded, so these modules are not shared with other tests.
beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
});

it("signing out removes what is stored about hosts, and what the person then writes or looks at is not stored", async () => {
  const storage = Object.assign(new TestStorage(), { "scorel.panel": "open files", "scorel.draftsman": "of others" });
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("addEventListener", () => {});
  const { Field } = await import("../../../plugins/web/page/chat/field.ts");
  const { messageOf } = await import("../../../plugins/web/page/chat/line.ts");
  const { forgetLocal } = await import("../../../plugins/web/page/host/local.ts");
  const { keepOwn } = await import("../../../plugins/web/page/host/own-ids.ts");
  const { SeenStore } = await import("../../../plugins/web/page/waiting/seen.ts");
  const field = new Field("s1");
  const seen = [new SeenStore(""), new SeenStore("box")];
  const use = (text: string, at: number) => {
    field.set(messageOf(text));
    keepOwn(`client ${at}`);
    for (const store of seen) store.set({ since: at, sessions: {} });
  };
  use("secret", 1);
  const before = { ...storage };
  forgetLocal();
  use("secret p", 2);
  expect([before, { ...storage }]).toEqual([
    {
      "scorel.panel": "open files",
      "scorel.draftsman": "of others",
      "scorel.draft.s1": "secret",
      "scorel.own": '["client 1"]',
      "scorel.seen": '{"since":1,"sessions":{}}',
      "scorel.seen.box": '{"since":1,"sessions":{}}',
    },
    { "scorel.panel": "open files", "scorel.draftsman": "of others" },
  ]);
});
