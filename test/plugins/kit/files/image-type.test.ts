import { describe, expect, it } from "vitest";
import { imageType, isSvg } from "../../../../plugins/kit/files/image-type.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

describe("the type of an image", () => {
  it.each([
    ["\x89PNG\r\n\x1a\nrest", "image/png"],
    ["\xff\xd8\xff\xe0rest", "image/jpeg"],
    ["GIF89arest", "image/gif"],
    ["RIFF1234WEBPrest", "image/webp"],
    ["RIFF1234WAVErest", undefined],
    ["\0\0\0\x18ftypheicrest", "image/heic"],
    ["\0\0\0\x18ftypmp42rest", undefined],
    ["BM1234\0\0\0\0\x36\0\0\0\x28\0\0\0", "image/bmp"],
    ["BMW is a brand of cars", undefined],
    ["", undefined],
  ])("%j is %s", (start, type) => {
    expect(imageType(bytes(start))).toBe(type);
  });

  it("of SVG is recognized by its text, with or without a byte order mark", () => {
    expect(isSvg(bytes('\xef\xbb\xbf<?xml version="1.0"?>\n<svg xmlns="…">'))).toBe(true);
    expect(isSvg(bytes("<html><body>"))).toBe(false);
    expect(isSvg(bytes("about <svg>"))).toBe(false);
  });
});
