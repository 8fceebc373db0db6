import { enlarge, type Header } from "./header.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** The header of a complete GIF file, or what is wrong. Throws a RangeError when it is truncated. */
export function gifHeader(bytes: Buffer): Header | string {
  const header: Header = {
    width: bytes.readUInt16LE(6),
    height: bytes.readUInt16LE(8),
    orientation: 1,
    frames: 0,
    lossless: true,
  };
  for (let at = 13 + tableSize(bytes.readUInt8(10)); ; ) {
    const block = bytes.readUInt8(at);
    if (block === TRAILER) return header.frames > 0 ? header : "it holds no picture";
    if (block === EXTENSION) at = afterBlocks(bytes, at + 2);
    else if (block === IMAGE) {
      header.frames++;
      enlarge(header, bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + 11 + tableSize(bytes.readUInt8(at + 9)));
    } else return `there is no block at byte ${at}`;
  }
}

/** The size of the colour table that a flags byte announces, in bytes. */
function tableSize(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

/** The position after a chain of data blocks. */
function afterBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) at += size + 1;
  return at + 1;
}
