import { crc32 } from "node:zlib";
import { exifOrientation } from "./exif.ts";
import { enlarge, type Header } from "./header.ts";

/** The header of a PNG file with complete and valid chunks, or what is wrong. Throws a RangeError when it is truncated. */
export function pngHeader(bytes: Buffer): Header | string {
  const header: Header = { width: 0, height: 0, orientation: 1, frames: 1, lossless: true };
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const body = at + 8;
    const type = bytes.toString("latin1", at + 4, body);
    if (bytes.readUInt32BE(body + length) !== crc32(bytes.subarray(at + 4, body + length)))
      return `a checksum in it is wrong (${JSON.stringify(type)} at byte ${at})`;
    const data = bytes.subarray(body, body + length);
    if (type === "IHDR") enlarge(header, data.readUInt32BE(0), data.readUInt32BE(4));
    if (type === "eXIf") header.orientation = exifOrientation(data);
    if (type === "IEND") return header;
    at = body + length + 4;
  }
}
