import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a zip, written byte by byte, so that it can be invalid. */
export interface ZipEntry {
  /** The name, as text or bytes. */
  path: string | Buffer;
  content?: string | Buffer;
  /** The compression method. Default: 8, deflated. */
  method?: number;
  /** The mode with the file type, as on Unix. */
  mode?: number;
  flags?: number;
  /** Replaces the correct checksum and sizes. */
  crc?: number;
  size?: number;
  packedSize?: number;
  /** Fields of the local header that differ from the directory. */
  local?: { path?: string; method?: number; flags?: number };
  /** The index of an entry whose header this entry's directory row refers to; no data is written for this entry. */
  sameAs?: number;
  zip64?: true;
}

/** A zip of these entries; `count` is the number of entries that its end states. */
export function zip(entries: readonly ZipEntry[], { comment = "", count = entries.length } = {}): Buffer {
  const body: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    offsets.push(entry.sameAs === undefined ? offset : (offsets[entry.sameAs] as number));
    if (entry.sameAs !== undefined) continue;
    const piece = Buffer.concat([localHeader(entry), packed(entry)]);
    body.push(piece);
    offset += piece.length;
  }
  const rows = Buffer.concat(entries.map((entry, index) => directoryRow(entry, offsets[index] as number)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(rows.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...body, rows, end, Buffer.from(comment)]);
}

const contentOf = ({ content = "" }: ZipEntry) => Buffer.from(content);
const methodOf = ({ method = 8 }: ZipEntry) => method;
const packed = (entry: ZipEntry) => (methodOf(entry) === 0 ? contentOf(entry) : deflateRawSync(contentOf(entry)));

/** The fields that both headers have, from the flags to the length of the name. */
function common(entry: ZipEntry, name: Buffer, method: number, flags: number, extra: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(flags, 0);
  bytes.writeUInt16LE(method, 2);
  bytes.writeUInt32LE(entry.crc ?? crc32(contentOf(entry)), 8);
  bytes.writeUInt32LE(entry.zip64 ? 0xffffffff : (entry.packedSize ?? packed(entry).length), 12);
  bytes.writeUInt32LE(entry.zip64 ? 0xffffffff : (entry.size ?? contentOf(entry).length), 16);
  bytes.writeUInt16LE(name.length, 20);
  bytes.writeUInt16LE(extra, 22);
  return bytes;
}

function localHeader(entry: ZipEntry): Buffer {
  const { path, method, flags } = {
    path: entry.path,
    method: methodOf(entry),
    flags: entry.flags ?? 0,
    ...entry.local,
  };
  const name = Buffer.from(path as string);
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  const extra = zip64Extra(entry);
  return Buffer.concat([head, common(entry, name, method, flags, extra.length), name, extra]);
}

function directoryRow(entry: ZipEntry, offset: number): Buffer {
  const name = Buffer.from(entry.path as string);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(0x0314, 4);
  head.writeUInt16LE(20, 6);
  const extra = zip64Extra(entry);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common(entry, name, methodOf(entry), entry.flags ?? 0, extra.length), rest, name, extra]);
}

function zip64Extra(entry: ZipEntry): Buffer {
  if (!entry.zip64) return Buffer.alloc(0);
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(entry.size ?? contentOf(entry).length), 4);
  extra.writeBigUInt64LE(BigInt(entry.packedSize ?? packed(entry).length), 12);
  return extra;
}
