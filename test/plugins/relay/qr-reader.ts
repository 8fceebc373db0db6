import { stripVTControlCharacters } from "node:util";
import jsqr from "jsqr";

/** Pixels per module, since readers need more than one. */
const SCALE = 4;

/** The text of a QR code drawn with half blocks, as a camera would read it; undefined if there is no code. */
export function readQr(lines: readonly string[]): string | undefined {
  const texts = lines.map(stripVTControlCharacters);
  const rows = texts.flatMap((text) =>
    [[..."▀█"], [..."▄█"]].map((dark) => [...text].map((half) => dark.includes(half))),
  );
  const [width, height] = [(rows[0]?.length ?? 0) * SCALE, rows.length * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (rows[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)])
        pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  return jsqr.default(pixels, width, height)?.data;
}
