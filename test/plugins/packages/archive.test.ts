import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { createKernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import packages from "@scorel/packages";
import { describe, expect, it } from "vitest";
import { unpack } from "../../../plugins/packages/archive/archive.ts";
import { defaultLimits } from "../../../plugins/packages/archive/tree-writer.ts";
import type { Limits, PackageStore } from "../../../plugins/packages/contract.ts";
import { testHeader } from "../../harness.ts";
import { fc } from "../../property.ts";
import { pax, type TarEntry, tar } from "../../tarball.ts";

/** Unpacks these bytes; returns what was unpacked, or the code of the error and what it names. */
async function unpacked(bytes: Buffer, limits?: Limits): Promise<Record<string, string> | string[]> {
  const root = mkdtempSync(join(tmpdir(), "scorel-archive-"));
  try {
    const into = join(root, "into");
    mkdirSync(into);
    writeFileSync(join(root, "a.tgz"), bytes);
    const integrity = await unpack(join(root, "a.tgz"), into, { ...(limits && { limits }) });
    expect(integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
    return Object.fromEntries(filesBelow(into).map((file) => [relative(into, file), readFileSync(file, "utf8")]));
  } catch (thrown) {
    const { code, data = {} } = thrown as { code?: string; data?: Record<string, string> };
    if (code === undefined) throw thrown;
    return [code, data.reason ?? ""];
  } finally {
    expect(readdirSync(root).sort()).toEqual(["a.tgz", "into"]);
    rmSync(root, { recursive: true });
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

const file = (path: string, content = "x"): TarEntry => ({ path, content });
const mebi = 1024 * 1024;
const many = (count: number): TarEntry[] => Array.from({ length: count }, (_, index) => file(`f${index}`, ""));

describe("an archive", () => {
  it("can be packed and unpacked without changes, compressed or not", async () => {
    const entries = [{ path: "a/", type: "5" }, file("a/one", "1"), file("./b", "2".repeat(70_000)), file("empty", "")];
    const expected = { "a/one": "1", b: "2".repeat(70_000), empty: "" };
    expect(await unpacked(tar(entries))).toEqual(expected);
    expect(await unpacked(gzipSync(tar(entries)))).toEqual(expected);
    expect(await unpacked(gzipSync(tar(entries, 20)))).toEqual(expected);
  });

  it("can be unpacked by every plugin, through the service `archives`", async () => {
    const root = mkdtempSync(join(tmpdir(), "scorel-service-"));
    const services = { presetStore: {} as PackageStore, extensionStore: {} as PackageStore };
    const kernel = await createKernel({
      entries: [{ plugin: packages, origin: "test" }],
      store: createMemoryStore(testHeader),
      services,
    });
    try {
      mkdirSync(join(root, "into"));
      writeFileSync(join(root, "a.tar"), tar([file("a", "words")]));
      await kernel.find("archives")?.unpack(join(root, "a.tar"), join(root, "into"));
      expect(readFileSync(join(root, "into/a"), "utf8")).toBe("words");
    } finally {
      await kernel.stop();
      rmSync(root, { recursive: true });
    }
  });

  it("keeps long names in the pax and GNU formats", async () => {
    const long = `${"deep/".repeat(40)}name.md`;
    expect(await unpacked(tar([pax({ path: long }), file("short", "pax")]))).toEqual({ [long]: "pax" });
    const gnu: TarEntry = { path: "././@LongLink", type: "L", content: `${long}\0` };
    expect(await unpacked(tar([gnu, file("short", "gnu")]))).toEqual({ [long]: "gnu" });
  });

  it("of other programs can be read", async () => {
    const root = mkdtempSync(join(tmpdir(), "scorel-tar-"));
    try {
      const long = "x".repeat(120);
      mkdirSync(join(root, "in", long), { recursive: true });
      writeFileSync(join(root, "in", long, "é.md"), "words");
      for (const format of ["gnu", "pax"]) {
        execFileSync("tar", [`--format=${format}`, "-czf", "out.tgz", "-C", "in", "."], { cwd: root });
        expect(await unpacked(readFileSync(join(root, "out.tgz")))).toEqual({ [`${long}/é.md`]: "words" });
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("makes a file executable for its owner, and ignores the rest of its mode", async () => {
    const root = mkdtempSync(join(tmpdir(), "scorel-modes-"));
    try {
      mkdirSync(join(root, "into"));
      writeFileSync(
        join(root, "a.tar"),
        tar([
          { ...file("run"), mode: 0o4755 },
          { ...file("read"), mode: 0o666 },
        ]),
      );
      await unpack(join(root, "a.tar"), join(root, "into"));
      const modes = ["run", "read"].map((name) => (statSync(join(root, "into", name)).mode & 0o7777).toString(8));
      expect(modes).toEqual(["700", "600"]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it.each<[string, TarEntry[], string]>([
    ["a link", [{ path: "a", type: "2", link: "/etc/passwd" }], "is a link to /etc/passwd"],
    ["a hard link", [file("b"), { path: "a", type: "1", link: "b" }], "is a link to b"],
    ["a file through a link", [{ path: "a", type: "2", link: "/tmp" }, file("a/b")], "is a link to /tmp"],
    ["a character device", [{ path: "a", type: "3" }], "is a CharacterDevice"],
    ["a block device", [{ path: "a", type: "4" }], "is a BlockDevice"],
    ["a pipe", [{ path: "a", type: "6" }], "is a FIFO"],
    ["a sparse file", [{ path: "a", type: "S" }], "is a SparseFile"],
    ["a type that nobody knows", [{ path: "a", type: "Z" }], "is a Unsupported"],
    ["an absolute path", [file("/etc/cron.d/x")], "is an absolute path"],
    ["a path with a drive", [file("C:/x")], "is an absolute path"],
    ["a colon", [file("a/b:c")], "contains a colon"],
    ["a way out", [file("a/../../x")], "leads out of the folder"],
    ["a way out in a long name", [pax({ path: "../x" }), file("a")], "leads out of the folder"],
    ["a folder that is a way out", [{ path: "../", type: "5" }], "leads out of the folder"],
    ["a backslash", [file("a\\..\\b")], "contains a backslash or a control character"],
    ["an escape sequence", [file("a\u001b[2J")], "contains a backslash or a control character"],
    ["the folder itself as a file", [file("./.")], "is the folder itself"],
    ["a name twice", [file("a"), file("./a")], "occurs twice"],
    ["a file that is a folder too", [file("a"), file("a/b")], "occurs twice"],
    ["a folder that is a file too", [file("a/b"), file("a")], "occurs twice"],
    ["names that differ in case", [file("Readme"), file("README")], 'differs from "Readme" only in case'],
    ["folders that differ in case", [file("A/x"), file("a/y")], 'differs from "A" only in case'],
    ["one name in two encodings", [file("\u00e9"), file("e\u0301")], 'differs from "\u00e9" only in case'],
    ["a depth without end", [pax({ path: `${"a/".repeat(64)}b` }), file("a")], "is more than 64 folders deep"],
    ["a name without end", [pax({ path: "a".repeat(1_025) }), file("a")], "is longer than 1024 characters"],
  ])("is refused completely for %s", async (_, entries, reason) => {
    expect(await unpacked(tar([file("first"), ...entries]))).toEqual(["ARCHIVE_ENTRY", reason]);
    expect(await unpacked(gzipSync(tar([file("first"), ...entries])))).toEqual(["ARCHIVE_ENTRY", reason]);
  });

  it("is refused if it contains more than the limits allow", async () => {
    expect(defaultLimits).toEqual({ entries: 10_000, fileBytes: 64 * mebi, allBytes: 256 * mebi });
    const limits = { entries: 20, fileBytes: 2 * mebi, allBytes: 3 * mebi };
    const zeros = (path: string, size: number) => ({ path, content: Buffer.alloc(size) });
    expect(Object.keys(await unpacked(tar(many(20)), limits))).toHaveLength(20);
    expect(await unpacked(tar(many(21)), limits)).toEqual(["ARCHIVE_LIMIT", "it holds more than 20 entries"]);
    const deep = (index: number) => file(`${index}/${"a/".repeat(9)}b`);
    expect(await unpacked(tar([deep(1), deep(2), deep(3)]), limits)).toEqual([
      "ARCHIVE_LIMIT",
      "it holds more than 20 folders",
    ]);
    const large = [zeros("a", 2 * mebi), zeros("b", mebi)];
    expect(Object.keys(await unpacked(gzipSync(tar(large)), limits))).toEqual(["a", "b"]);
    expect(await unpacked(gzipSync(tar([zeros("a", 2 * mebi + 1)])), limits)).toEqual([
      "ARCHIVE_ENTRY",
      "is larger than 2 MiB",
    ]);
    expect(await unpacked(gzipSync(tar([...large, zeros("c", 1)])), limits)).toEqual([
      "ARCHIVE_LIMIT",
      "it holds more than 3 MiB",
    ]);
  });

  it("is refused if it unpacks to an endless number of small files", async () => {
    const limits = { entries: 20, fileBytes: mebi, allBytes: mebi };
    const headers = Array.from({ length: 60 }, () => pax({ comment: "x".repeat(40_000) }));
    expect(await unpacked(gzipSync(tar(headers)), limits)).toEqual(["ARCHIVE_LIMIT", "it holds more than 1 MiB"]);
  });

  it.each<[string, () => Buffer, string | RegExp]>([
    ["a wrong checksum", () => tar([{ ...file("a"), checksum: "wrong" }]), /checksum failure/],
    ["no header at all", () => Buffer.from("hello, I am no archive".repeat(100)), /checksum failure/],
    ["an empty file", () => Buffer.alloc(0), /Unrecognized archive format|ends too early/],
    ["a missing end", () => tar([file("a")], 0), "it ends too early"],
    ["a cut file", () => tar([file("a", "x".repeat(2000))], 0).subarray(0, 1024), /Truncated input/],
    ["a size that is not there", () => tar([{ ...file("a"), size: 9_000_000 }]), /Truncated input/],
    ["a cut compression", () => gzipSync(tar([file("a")])).subarray(0, 60), /unexpected end of file/],
    ["a flipped bit", () => flip(gzipSync(tar([file("a", "some words")])), 40), /./],
    ["being compressed twice", () => gzipSync(gzipSync(tar([file("a")]))), "it is compressed twice"],
  ])("is refused as damaged for %s", async (_, make, reason) => {
    const answer = await unpacked(make());
    expect(answer).toEqual(["ARCHIVE_DAMAGED", typeof reason === "string" ? reason : expect.stringMatching(reason)]);
  });

  it.each([
    ["xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), "it is compressed with xz"],
    ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), "it is compressed with zstd"],
    ["bzip2", Buffer.from("BZh91AY"), "it is compressed with bzip2"],
  ])("is not read if it is %s, and the error says so", async (_, bytes, reason) => {
    expect(await unpacked(bytes)).toEqual(["ARCHIVE_FORMAT", reason]);
  });

  it("never writes outside of its folder or anything that it does not contain, whatever its bytes are", async () => {
    const path = fc.oneof(
      fc.constantFrom("a", "A", "a/b", "../x", "/x", "a/../b", "a//b", "./a", "", "..", "a/", "C:x", "\u0130"),
      fc.string({ maxLength: 20 }),
    );
    const entry = fc.record({
      path,
      content: fc.string({ maxLength: 40 }),
      type: fc.constantFrom("0", "0", "0", "5", "2", "1", "x", "L", "g", "7", "\0"),
      link: fc.string({ maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 8 }), fc.option(fc.nat(6000)), async (entries, spoilt) => {
        const whole = tar(entries);
        const answer = await unpacked(spoilt === null ? whole : flip(whole, spoilt));
        if (Array.isArray(answer)) expect(answer[0]).toMatch(/^ARCHIVE_/);
        else if (spoilt === null)
          for (const words of Object.values(answer)) expect(entries.map(({ content }) => content)).toContain(words);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ 0x55;
  return flipped;
}
