import { exifOrientation } from "./exif.ts";
import { enlarge, type Header } from "./header.ts";

/** The header of a complete WebP file, or what is wrong. Throws a RangeError when it is truncated. */
export function webpHeader(bytes: Buffer): Header | string {
  const header: Header = { width: 0, height: 0, orientation: 1, frames: 0, lossless: false };
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return "it ends too early";
  for (let at = 12; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + 8, Math.min(at + 8 + length, end));
    take(header, bytes.toString("latin1", at, at + 4), data);
    at += 8 + length + (length % 2);
  }
  return header.frames > 0 ? header : "it holds no picture";
}

function take(header: Header, chunk: string, data: Buffer): void {
  if (chunk === "VP8X") enlarge(header, 1 + data.readUIntLE(4, 3), 1 + data.readUIntLE(7, 3));
  if (chunk === "EXIF") header.orientation = exifOrientation(data);
  if (chunk === "VP8 ") enlarge(header, data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff);
  if (chunk === "VP8L") {
    const size = data.readUInt32LE(1);
    enlarge(header, 1 + (size & 0x3fff), 1 + ((size >>> 14) & 0x3fff));
    header.lossless = true;
  }
  if (chunk === "VP8 " || chunk === "VP8L" || chunk === "ANMF") header.frames++;
}
