import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import type { Limits } from "./contract.ts";
import { errors } from "./errors.ts";
import { TreeWriter } from "./tree-writer.ts";

type Pieces = AsyncIterable<Buffer>;
type Reader = (pieces: Pieces, writer: TreeWriter) => Promise<void>;

const readTar: Reader = async (pieces, writer) => (await import("./tar.ts")).readTar(pieces, writer);

/** What takes a format apart, by how its files begin; a reason where nothing does. */
const formats: readonly { magic: Buffer; read: Reader | string }[] = [
  { magic: Buffer.from([0x1f, 0x8b]), read: async (pieces, writer) => readTar(await gunzipped(pieces), writer) },
  { magic: Buffer.from("PK"), read: "it is a zip" },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), read: "it is compressed with xz" },
  { magic: Buffer.from("BZh"), read: "it is compressed with bzip2" },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), read: "it is compressed with zstd" },
  { magic: Buffer.alloc(0), read: readTar },
];

/**
 * Unpacks an archive into an empty folder; answers its own sha512 as npm writes it. Only plain files and folders come out:
 * anything else, and whatever would lie elsewhere, refuses the whole archive. Throws ARCHIVE errors.
 */
export async function unpack(path: string, into: string, limits?: Limits): Promise<string> {
  const { read } = formatOf(path);
  if (typeof read === "string") throw errors.ARCHIVE_FORMAT({ path, reason: read });
  const hash = createHash("sha512");
  const hashed = async function* (pieces: Pieces) {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
  try {
    await pipeline(createReadStream(path), hashed, (pieces: Pieces) =>
      read(pieces, new TreeWriter(path, into, limits)),
    );
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.ARCHIVE_DAMAGED({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  return `sha512-${hash.digest("base64")}`;
}

function formatOf(path: string) {
  const start = Buffer.alloc(8);
  try {
    const fd = openSync(path, "r");
    readSync(fd, start);
    closeSync(fd);
  } catch (thrown) {
    throw errors.ARCHIVE_FORMAT({ path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
  const found = formats.find(({ magic }) => start.subarray(0, magic.length).equals(magic));
  return found as (typeof formats)[number];
}

async function gunzipped(pieces: Pieces): Promise<Pieces> {
  const { createGunzip } = await import("node:zlib");
  const { Readable } = await import("node:stream");
  const compressed = Readable.from(pieces);
  const plain = createGunzip();
  compressed.on("error", (thrown) => plain.destroy(thrown));
  return compressed.pipe(plain);
}
