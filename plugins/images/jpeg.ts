import { exifOrientation } from "./exif.ts";
import { enlarge, type Header } from "./header.ts";

const START_OF_SCAN = 0xda;
const APP1 = 0xe1;
const END = Buffer.from([0xff, 0xd9]);

/** The header of a complete JPEG file, or what is wrong. Throws a RangeError when it is truncated. */
export function jpegHeader(bytes: Buffer): Header | string {
  const header: Header = { width: 0, height: 0, orientation: 1, frames: 1, lossless: false };
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return `there is no marker at byte ${at}`;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff || standsAlone(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    // A thumbnail has its own end marker, before the image data starts.
    if (marker === START_OF_SCAN) return bytes.indexOf(END, at) < 0 ? "it ends too early" : header;
    const next = at + 2 + bytes.readUInt16BE(at + 2);
    const data = bytes.subarray(at + 4, next);
    if (isFrame(marker)) enlarge(header, data.readUInt16BE(3), data.readUInt16BE(1));
    if (marker === APP1 && data.toString("latin1", 0, 6) === "Exif\0\0") header.orientation = exifOrientation(data);
    at = next;
  }
}

function standsAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** SOF0 to SOF15, except three markers with another meaning. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
