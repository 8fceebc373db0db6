import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import type { OpenFile, TreeWriter } from "./tree-writer.ts";

const [STORED, DEFLATED] = [0, 8];
/** Flags of encrypted entries and hidden headers. */
const ENCRYPTED = 0x1 | 0x40 | 0x2000;
/** File types in the upper half of an entry's attributes, as written on Unix. */
const [KIND, FILE, FOLDER, LINK] = [0o170000, 0o100000, 0o040000, 0o120000];

/** An entry of the zip's directory, with its byte range in the zip from its local header to the end of its data. */
interface Row {
  entry: Entry;
  name: string;
  from: number;
  to: number;
}

/**
 * Unpacks a zip by its directory, after checking that the directory agrees with the local header of each file:
 * otherwise two programs could see different archives in it. Throws ARCHIVE_ENTRY and plain errors.
 */
export async function readZip(fd: number, writer: TreeWriter): Promise<void> {
  const { default: yauzl } = await import("yauzl");
  const zip = await yauzl.fromFdPromise(fd, { autoClose: false, decodeStrings: false });
  // Names are checked and decoded here, because the library would convert backslashes and use a second name in an extra field.
  const rows: Row[] = [];
  for await (const entry of zip.eachEntry()) {
    writer.count();
    rows.push(await rowOf(zip, entry, writer));
  }
  assertApart(rows, writer);
  for (const row of rows) await extract(zip, row, writer);
}

async function rowOf(zip: ZipFile, entry: Entry, writer: TreeWriter): Promise<Row> {
  const name = nameOf(entry, writer);
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw writer.refuse(name, "is encrypted");
  if (![STORED, DEFLATED].includes(entry.compressionMethod))
    throw writer.refuse(name, `uses an unsupported compression method (${entry.compressionMethod})`);
  const local = await zip.readLocalFileHeaderPromise(entry);
  const agrees = local.fileName.equals(entry.fileNameRaw) && local.compressionMethod === entry.compressionMethod;
  if (!agrees || ((local.generalPurposeBitFlag ^ entry.generalPurposeBitFlag) & ENCRYPTED) !== 0)
    throw writer.refuse(name, "differs from its local header");
  return {
    entry,
    name,
    from: entry.relativeOffsetOfLocalHeader,
    to: local.fileDataStart + entry.compressedSize,
  };
}

/** Decodes as UTF-8, which nearly all programs write even without setting the flag. */
function nameOf({ fileNameRaw }: Entry, writer: TreeWriter): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fileNameRaw);
  } catch {
    throw writer.refuse(fileNameRaw.toString("latin1"), "has a name that is not UTF-8");
  }
}

/** Entries that overlap are refused: they let a small zip become a huge tree. */
function assertApart(rows: readonly Row[], writer: TreeWriter): void {
  let end = 0;
  for (const { name, from, to } of rows.toSorted((a, b) => a.from - b.from)) {
    if (from < end) throw writer.refuse(name, "shares its bytes with another");
    end = to;
  }
}

async function extract(zip: ZipFile, { entry, name }: Row, writer: TreeWriter): Promise<void> {
  const mode = entry.externalFileAttributes >>> 16;
  const kind = mode & KIND;
  const isFolder = name.endsWith("/");
  if (kind === LINK) throw writer.refuse(name, "is a link");
  if (kind !== 0 && kind !== (isFolder ? FOLDER : FILE)) throw writer.refuse(name, "is neither a file nor a folder");
  if (!isFolder) return copy(zip, entry, writer.file(name, (mode & 0o100) !== 0));
  if (entry.uncompressedSize > 0) throw writer.refuse(name, "is a folder with content");
  writer.folder(name);
}

async function copy(zip: ZipFile, entry: Entry, file: OpenFile): Promise<void> {
  let sum = 0;
  try {
    await pipeline(await zip.openReadStreamPromise(entry), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        sum = crc32(piece, sum);
        file.write(piece);
      }
    });
  } finally {
    file.close();
  }
  if (sum !== entry.crc32)
    throw new Error(`${JSON.stringify(entry.fileNameRaw.toString())} does not have its checksum`);
}
