import { expect, it } from "vitest";
import { qrLines } from "../../../plugins/relay/qr.ts";
import { readQr } from "./qr-reader.ts";

it("a code in the terminal is read as the text that it was made of", async () => {
  const link = `https://page.example/#pair=7Q2-K9FV-0CXE&relay=relay.example&host=${"A".repeat(43)}`;
  const lines = await qrLines(link, 80);
  expect(readQr(lines ?? [])).toBe(link);
});

it("a code that is wider than the terminal is not shown", async () => {
  expect(await qrLines("https://page.example/", 20)).toBeUndefined();
});
