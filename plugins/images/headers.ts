import { gifHeader } from "./gif.ts";
import type { Header } from "./header.ts";
import { jpegHeader } from "./jpeg.ts";
import { pngHeader } from "./png.ts";
import { webpHeader } from "./webp.ts";

const READERS: Readonly<Record<string, (bytes: Buffer) => Header | string>> = {
  "image/png": pngHeader,
  "image/jpeg": jpegHeader,
  "image/gif": gifHeader,
  "image/webp": webpHeader,
};

/** The header of an image of a supported type, or what is wrong; undefined for other types. */
export function readHeader(bytes: Buffer, mimeType: string): Header | string | undefined {
  const reader = READERS[mimeType];
  if (!reader) return undefined;
  try {
    const header = reader(bytes);
    if (typeof header === "string") return header;
    return header.width > 0 && header.height > 0 ? header : "its header names no size";
  } catch (thrown) {
    if (thrown instanceof RangeError) return "it ends too early";
    throw thrown;
  }
}
