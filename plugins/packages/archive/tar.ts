import { Parser } from "tar/parse";
import type { ReadEntry } from "tar/read-entry";
import type { OpenFile, TreeWriter } from "./tree-writer.ts";

const FILES: readonly string[] = ["File", "OldFile", "ContiguousFile"];

/** Unpacks a tar in chunks, so that only one chunk is in memory. Throws ARCHIVE_ENTRY and plain errors. */
export async function readTar(pieces: AsyncIterable<Buffer>, writer: TreeWriter): Promise<void> {
  const state = { isWhole: false, failure: undefined as unknown };
  const parser = createParser(writer, state);
  let isFirst = true;
  for await (const piece of pieces) {
    // Nested compression is refused: the parser would unpack it without any limit.
    if (isFirst && piece[0] === 0x1f && piece[1] === 0x8b) throw new Error("it is compressed twice");
    isFirst = false;
    writer.pass(piece.length);
    parser.write(piece);
    if (state.failure) throw state.failure;
  }
  parser.end();
  if (state.failure) throw state.failure;
  if (!state.isWhole) throw new Error("it ends too early");
}

function createParser(writer: TreeWriter, state: { isWhole: boolean; failure: unknown }): Parser {
  const parser = new Parser({ strict: true, brotli: false, zstd: false });
  const fail = (thrown: unknown) => {
    state.failure ??= thrown;
  };
  const ended = () => {
    state.isWhole = true;
  };
  parser.on("error", fail);
  parser.on("nullBlock", ended);
  parser.on("eof", ended);
  parser.on("ignoredEntry", ({ path, type }: ReadEntry) => fail(writer.refuse(path, `is a ${type}`)));
  parser.on("entry", (entry: ReadEntry) => {
    try {
      take(entry, writer, fail);
    } catch (thrown) {
      fail(thrown);
      entry.resume();
    }
  });
  return parser;
}

function take(entry: ReadEntry, writer: TreeWriter, fail: (thrown: unknown) => void): void {
  const { path, type, mode = 0 } = entry;
  writer.count();
  if (type === "Directory") {
    writer.folder(path);
    entry.resume();
  } else if (FILES.includes(type)) copy(entry, writer.file(path, (mode & 0o100) !== 0), fail);
  else throw writer.refuse(path, /Link$/.test(type) ? `is a link to ${entry.linkpath}` : `is a ${type}`);
}

function copy(entry: ReadEntry, file: OpenFile, fail: (thrown: unknown) => void): void {
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  entry.on("data", (piece) => {
    if (!isOpen) return;
    try {
      file.write(piece);
    } catch (thrown) {
      close();
      fail(thrown);
    }
  });
  entry.on("end", close);
}
