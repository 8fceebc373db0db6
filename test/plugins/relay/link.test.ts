import { describe, expect, it } from "vitest";
import { parseLink, showLink } from "../../../plugins/relay/protocol/link.ts";

const code = "7Q2-K9FV-0CXE";
const host = "A".repeat(43);

describe("a link to pair with", () => {
  it.each([
    ["wss://relay.example/relay", "relay=relay.example", "relay.example"],
    ["wss://relay.example:7800/relay", "relay=relay.example:7800", "relay.example:7800"],
    [
      "wss://example.org/below/relay",
      `relay=${encodeURIComponent("wss://example.org/below/relay")}`,
      "wss://example.org/below/relay",
    ],
    [
      "ws://127.0.0.1:7800/relay",
      `relay=${encodeURIComponent("ws://127.0.0.1:7800/relay")}`,
      "ws://127.0.0.1:7800/relay",
    ],
  ])("names the relay %s", (relay, said, read) => {
    const link = showLink("https://page.example/scorel/#old", { code, relays: [relay], host });
    expect(link).toBe(`https://page.example/scorel/#pair=${code}&${said}&host=${host}`);
    expect(parseLink(link)).toEqual({ code, relays: [read], host });
  });

  it("names several relays of a host, of which earlier versions read the first", () => {
    const relays = ["wss://relay-1.example/relay", "wss://relay-2.example:7800/relay"];
    const link = showLink("https://page.example/", { code, relays, host });
    const said = "relay=relay-1.example&relay=relay-2.example:7800";
    expect(link).toBe(`https://page.example/#pair=${code}&${said}&host=${host}`);
    expect(parseLink(link).relays).toEqual(["relay-1.example", "relay-2.example:7800"]);
  });

  it("is read without the page, and without a host", () => {
    expect(parseLink(" #pair=7q2k9fvocxe&relay=relay.example ")).toEqual({ code, relays: ["relay.example"] });
  });

  it.each([
    "",
    "https://page.example/",
    "#code=abc",
    `#pair=${code}`,
    `#pair=${code}&relay=a&host=short`,
    `#pair=${code}&relay=a&host=${"x".repeat(43)}`,
  ])("is not %j", (text) => expect(() => parseLink(text)).toThrow("not a link to pair with"));

  it("has a code only if that is valid", () => {
    expect(() => parseLink("#pair=nonsense&relay=relay.example")).toThrow("not a pairing code");
  });
});
