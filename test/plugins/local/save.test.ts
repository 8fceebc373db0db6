import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { type OpenFile, overwrite, saveFile } from "../../../plugins/local/files/save.ts";
import { mountedFile, type SmallDisk, smallFileSystem } from "../../fault/disk.ts";
import { itWith } from "../../optional.ts";

const NOBODY = 65_534;

/** Saves a file as a user who may write it, but may create none in its folder. */
async function save(path: string, text: string): Promise<string | undefined> {
  process.seteuid?.(NOBODY);
  try {
    await saveFile(path, Buffer.from(text), false);
    return undefined;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code;
  } finally {
    process.seteuid?.(0);
  }
}

if (process.getuid?.() === 0)
  itWith("mounts", "a file that is written in place keeps its content if the disk is full", async () => {
    using disk = smallFileSystem(256) as SmallDisk;
    const folder = join(disk.directory, "folder");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const path = join(folder, "notes");
    writeFileSync(path, "old".repeat(10_000));
    chownSync(path, NOBODY, NOBODY);
    expect(await save(path, "new".repeat(200_000))).toBe("ENOSPC");
    expect(readFileSync(path, "utf8")).toBe("old".repeat(10_000));
    for (const text of ["longer".repeat(10_000), "short", ""]) {
      expect(await save(path, text)).toBe(undefined);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

if (process.getuid?.() === 0)
  it("a file that may be written but not read is written in place", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-save-"));
    chmodSync(folder, 0o755);
    const path = join(folder, "notes");
    writeFileSync(path, "old");
    chownSync(path, NOBODY, NOBODY);
    chmodSync(path, 0o200);
    expect([await save(path, "new text"), readFileSync(path, "utf8")]).toEqual([undefined, "new text"]);
    rmSync(folder, { recursive: true });
  });

itWith("mounts", "a file that is mounted over another, as in containers, is written in place", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scorel-save-")));
  const path = join(folder, "notes");
  writeFileSync(path, "old text", { mode: 0o640 });
  {
    using _mounted = mountedFile(path, path);
    await saveFile(path, Buffer.from("new"), false);
  }
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o640]);
  expect(readdirSync(folder)).toEqual(["notes"]);
  rmSync(folder, { recursive: true });
});

it.each([
  { what: "a new file", before: undefined },
  { what: "an existing file", before: "old" },
])("the content of $what is on disk before the file has its name", async ({ before }) => {
  const folder = mkdtempSync(join(tmpdir(), "scorel-save-"));
  const path = join(folder, "notes");
  if (before !== undefined) writeFileSync(path, before);
  const texts = () =>
    readdirSync(folder)
      .sort()
      .map((name) => [name === "notes" ? name : "temporary", readFileSync(join(folder, name), "utf8")]);
  await using some = await open(folder, "r");
  const prototype = Object.getPrototypeOf(some) as FileHandle;
  const { sync } = prototype;
  const atSync: unknown[] = [];
  const spy = vi.spyOn(prototype, "sync").mockImplementation(function (this: FileHandle) {
    atSync.push(texts());
    return sync.call(this);
  });
  await saveFile(path, Buffer.from("new text"), true);
  spy.mockRestore();
  const old = before === undefined ? [] : [["notes", before]];
  expect({ atSync, after: texts() }).toEqual({
    atSync: [[["temporary", "new text"], ...old]],
    after: [["notes", "new text"]],
  });
  rmSync(folder, { recursive: true });
});

/** An open file on a disk that has no room for the overwriting of these bytes, as one that copies on writing. */
function onFullDisk(file: FileHandle, full: { at: number; truncates: boolean }): OpenFile {
  const reason = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  let isFull = false;
  const write = async (bytes: Uint8Array, offset: number, length: number, position: number) => {
    if (!isFull && position === full.at) {
      isFull = true;
      throw reason;
    }
    const room = !isFull && position < full.at ? Math.min(length, full.at - position) : length;
    return await file.write(bytes, offset, room, position);
  };
  const truncate = async (length: number) => {
    if (!full.truncates) throw Object.assign(new Error("input/output error"), { code: "EIO" });
    await file.truncate(length);
  };
  const read: OpenFile["read"] = (...args) => file.read(...args);
  return { stat: () => file.stat(), read, write, truncate };
}

it.each([
  { text: "a longer text", at: 2, truncates: true, left: "old text" },
  { text: "short", at: 2, truncates: true, left: "old text" },
  { text: "a longer text", at: 10, truncates: true, left: "old text" },
  { text: "a longer text", at: 10, truncates: false, left: "old text t" },
])(
  "a file gets back what was overwritten when the disk is full at byte $at of $text",
  async ({ text, left, ...full }) => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-save-"));
    const path = join(folder, "notes");
    writeFileSync(path, "old text");
    await using file = await open(path, "r+");
    await expect(overwrite(onFullDisk(file, full), Buffer.from(text))).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readFileSync(path, "utf8")).toBe(left);
    rmSync(folder, { recursive: true });
  },
);
