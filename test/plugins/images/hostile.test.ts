import { expect, it } from "vitest";
import { readHeader } from "../../../plugins/images/headers.ts";
import { imageType, isSvg } from "../../../plugins/kit/files/image-type.ts";
import { fc } from "../../property.ts";
import { exif, gif, jpeg, noise, png, pngChunk, quarters, webp, withExif } from "./pictures.ts";

const whole: readonly Buffer[] = [
  png(20, 10, quarters(20, 10), [pngChunk("eXIf", exif(6))]),
  withExif(jpeg(20, 10, quarters(20, 10)), exif(6, "II")),
  gif(20, 10, 3),
  webp(20, 10, noise()),
];
const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });

/** A file with some bytes changed behind its first twelve, and an end cut off. */
function spoiled(file: Buffer, changed: readonly (readonly [at: number, byte: number])[], cut: number): Buffer {
  const bytes = Buffer.from(file.subarray(0, file.length - (cut % (file.length - 12))));
  for (const [at, byte] of changed) if (bytes.length > 12) bytes[12 + (at % (bytes.length - 12))] = byte;
  return bytes;
}

it("reads any file's header or reports it as damaged", () => {
  fc.assert(
    fc.property(fc.constantFrom(...whole), changes, fc.nat(), (file, changed, cut) => {
      const bytes = spoiled(file, changed, cut);
      const header = readHeader(bytes, imageType(bytes) ?? "");
      if (typeof header === "string") expect(header).not.toBe("");
      else {
        expect(Math.min(header?.width ?? 0, header?.height ?? 0)).toBeGreaterThan(0);
        expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(header?.orientation);
      }
    }),
    { numRuns: 3_000, verbose: true },
  );
});

it("detects truncation anywhere in all formats", () => {
  for (const file of whole)
    for (let length = 12; length < file.length; length++) {
      const bytes = file.subarray(0, length);
      expect([length, typeof readHeader(bytes, imageType(bytes) ?? "")]).toEqual([length, "string"]);
    }
});

it("does not take text for an image, whatever it begins with", () => {
  const words = [
    "BMW builds cars, and many of them",
    "GIF is a format",
    "<svg></svg>",
    "II. The second part",
    "RIFF and WEBP",
  ];
  expect(words.map((word) => imageType(Buffer.from(word)))).toEqual(words.map(() => undefined));
  expect(words.map((word) => isSvg(Buffer.from(word)))).toEqual([false, false, true, false, false]);
});
