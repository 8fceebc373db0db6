import { createHash } from "node:crypto";
import { closeSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import type { ArchiveKind, Unpacking } from "../contract.ts";
import { errors } from "../errors.ts";
import { TreeWriter } from "./tree-writer.ts";

/** System errors of the disk that is written to; after them, the archive itself may still be intact. */
const FULL = ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EIO", "EMFILE"];
const PIECE = 256 * 1024;
const readPiece = promisify(read);

type Pieces = AsyncGenerator<Buffer, void>;
type Reader = (fd: number, writer: TreeWriter) => Promise<void>;

const readTar = async (pieces: AsyncIterable<Buffer>, writer: TreeWriter) =>
  (await import("./tar.ts")).readTar(pieces, writer);

const readZip: Reader = async (fd, writer) => (await import("./zip.ts")).readZip(fd, writer);

/**
 * The supported formats by the first bytes of their files: how to unpack them or, for a format that is recognised but
 * not supported, the reason.
 */
const formats: readonly { magic: Buffer; kind?: ArchiveKind; read: Reader | string }[] = [
  {
    magic: Buffer.from([0x1f, 0x8b]),
    kind: "tar.gz",
    read: async (fd, writer) => readTar(await gunzipped(piecesOf(fd)), writer),
  },
  { magic: Buffer.from("PK\u0003\u0004"), kind: "zip", read: readZip },
  { magic: Buffer.from("PK\u0005\u0006"), kind: "zip", read: readZip },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), read: "it is compressed with xz" },
  { magic: Buffer.from("BZh"), read: "it is compressed with bzip2" },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), read: "it is compressed with zstd" },
  { magic: Buffer.alloc(0), kind: "tar", read: (fd, writer) => readTar(piecesOf(fd), writer) },
];

/**
 * Unpacks an archive into an empty folder; returns the archive's sha512 as npm writes it. Only plain files and folders
 * are accepted: for anything else, or a path outside the folder, the whole archive is refused. Throws ARCHIVE errors,
 * and the errors of a full disk.
 */
export async function unpack(file: string, into: string, { limits, name, kind }: Unpacking = {}): Promise<string> {
  const path = name ?? file;
  const fd = opened(file, path);
  try {
    const format = formatOf(fd);
    if (typeof format.read === "string") throw errors.ARCHIVE_FORMAT({ path, reason: format.read });
    if (kind !== undefined && kind !== format.kind)
      throw errors.ARCHIVE_FORMAT({
        path,
        reason: `by its name it is a .${kind}, but its content is not in that format`,
      });
    const hash = createHash("sha512");
    for await (const piece of piecesOf(fd)) hash.update(piece);
    await format.read(fd, new TreeWriter(path, into, limits));
    return `sha512-${hash.digest("base64")}`;
  } catch (thrown) {
    if (thrown instanceof ScorelError || FULL.includes(codeOf(thrown))) throw thrown;
    throw errors.ARCHIVE_DAMAGED({ path, reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    closeSync(fd);
  }
}

function opened(file: string, path: string): number {
  try {
    return openSync(file, "r");
  } catch (thrown) {
    throw errors.ARCHIVE_FORMAT({ path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}

function formatOf(fd: number) {
  const start = Buffer.alloc(8);
  readSync(fd, start, 0, start.length, 0);
  const found = formats.find(({ magic }) => start.subarray(0, magic.length).equals(magic));
  return found as (typeof formats)[number];
}

/** Reads the whole file from its beginning. May be used repeatedly; a stream would close the file handle. */
async function* piecesOf(fd: number): Pieces {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await readPiece(fd, Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function gunzipped(pieces: Pieces): Promise<AsyncIterable<Buffer>> {
  const { createGunzip } = await import("node:zlib");
  const { Readable } = await import("node:stream");
  const compressed = Readable.from(pieces);
  const plain = createGunzip();
  compressed.on("error", (thrown) => plain.destroy(thrown));
  return compressed.pipe(plain);
}
