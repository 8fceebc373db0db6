import { afterEach, describe, expect, it, vi } from "vitest";
import { fragmentOf, fromHere, placeOf } from "../../../plugins/web/page/app/place.ts";
import { hostShown, safeAddress } from "../../../plugins/web/page/markdown/address.ts";
import { Divider } from "../../../plugins/web/page/markdown/divider.ts";
import { ago } from "../../../plugins/web/page/sidebar/ago.ts";
import { type Words, wordsOf } from "../../../plugins/web/page/words/words.ts";

describe("an address in the page", () => {
  it.each([
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["HTTP://EXAMPLE.com", "http://example.com/"],
    ["javascript:alert(1)", undefined],
    ["java\nscript:alert(1)", undefined],
    [" javascript:alert(1)", undefined],
    ["data:text/html,<script>", undefined],
    ["vbscript:x", undefined],
    ["file:///etc/passwd", undefined],
    ["blob:https://example.com/1", undefined],
    ["//example.com", undefined],
    ["/local", undefined],
    ["#code=1", undefined],
  ])("%j leads to %j", (address, safe) => {
    expect(safeAddress(address)).toBe(safe);
  });

  it("shows its host as it is resolved, whatever it looks like", () => {
    expect(hostShown("https://ex\u0430mple.com/login")).toBe("xn--exmple-4nf.com");
    expect(hostShown("https://example.com@evil.example:8080/")).toBe("evil.example:8080");
    expect(hostShown("mailto:a@example.com")).toBe("a@example.com");
    expect(hostShown("javascript:1")).toBeUndefined();
  });
});

describe("a place in the page", () => {
  it.each([
    { at: "home" as const },
    { at: "session" as const, sessionId: "kX3v-_9" },
    { at: "new" as const, directory: "/home/me/a b#c?d" },
  ])("is in the address: %j", (place) => {
    expect(placeOf(fragmentOf(place))).toEqual(place);
  });

  it.each(["", "#", "#code=abc", "#/session/", "#/session/a/../b", "#/other/x"])("is home for %j", (fragment) => {
    expect(placeOf(fragment)).toEqual({ at: "home" });
  });
});

describe("going to a place that is ready late", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    ["#/on/box/new/%2Fp", "#/on/box/new/%2Fp", "#/on/box/session/made"],
    ["#/new/%2Fp", "#/session/other", "#/session/other"],
    ["#/on/box/new/%2Fp", "#/new/%2Fp", "#/new/%2Fp"],
    ["#/session/a/event", "#/session/a", "#/session/made"],
    ["#/session/a", "#/session/b", "#/session/b"],
    ["#/session/a", "#/", "#/"],
  ])("from %j while %j is shown leads to %j", (begun, now, then) => {
    const location = { hash: begun };
    vi.stubGlobal("location", location);
    vi.stubGlobal("history", { state: null, pushState: (_: null, __: string, url: string) => (location.hash = url) });
    vi.stubGlobal("PopStateEvent", Event);
    vi.stubGlobal("dispatchEvent", () => true);
    const goOn = fromHere();
    location.hash = now;
    expect([goOn({ at: "session", sessionId: "made" }), location.hash]).toEqual([then.endsWith("made"), then]);
  });
});

describe("a text that grows", () => {
  const text = "One.\n\n- two\n- three\n\n```js\nconst a = 1;\n\nb\n```\n\nfour **five**\n\nsix";
  const shape = (divider: Divider, given: string) => {
    const { settled, rest } = divider.divide(given);
    return [...settled, rest].map((part) => part.text);
  };

  it("is divided into the same parts, however its pieces arrive", () => {
    const whole = shape(new Divider(), text);
    expect(whole.join("")).toBe(text);
    const growing = new Divider();
    for (let end = 1; end < text.length; end++) growing.divide(text.slice(0, end));
    expect(shape(growing, text)).toEqual(whole);
  });

  it("keeps its parts as they are, so that each is drawn once", () => {
    const divider = new Divider();
    const { settled: before } = divider.divide(text);
    const { settled: after } = divider.divide(`${text} seven\n\neight`);
    expect(after.slice(0, before.length).every((part, at) => part === before[at])).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it("is divided again when it became another one", () => {
    const divider = new Divider();
    divider.divide(text);
    expect(shape(divider, "other")).toEqual(["other"]);
  });
});

describe("the words of the page", () => {
  it("are Chinese or English, as the browser prefers", () => {
    const languages = [["zh-TW", "en"], ["de-DE", "zh-CN"], ["fr", "en-GB", "zh"], ["ja"], []];
    expect(languages.map((list) => wordsOf(list).language)).toEqual(["zh-CN", "zh-CN", "en", "en", "en"]);
  });

  it("say how long ago something was", () => {
    const [en, zh] = ["en", "zh"].map((language) => wordsOf([language]).words) as [Words, Words];
    const now = Date.UTC(2026, 10, 23, 12);
    const shown = [10, 90, 3 * 3_600, 50 * 3_600].map((seconds) => ago(now - seconds * 1_000, now, en));
    expect(shown).toEqual(["now", "1 min", "3 h", "2 d"]);
    expect(ago(now - 90_000, now, zh)).toBe("1 分钟");
  });

  it("say the date of what was long ago in the language of the page, not in the browser's", () => {
    const words = ["en", "zh"].map((language) => wordsOf([language]).words);
    const [then, now] = [new Date(2026, 4, 3).getTime(), new Date(2026, 10, 23).getTime()];
    expect(words.map((each) => ago(then, now, each))).toEqual(["May 3, 2026", "2026年5月3日"]);
  });
});
