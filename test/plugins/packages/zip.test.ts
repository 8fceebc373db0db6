import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpack } from "../../../plugins/packages/archive/archive.ts";
import type { Unpacking } from "../../../plugins/packages/contract.ts";
import { itWith } from "../../optional.ts";
import { fc } from "../../property.ts";
import { tar } from "../../tarball.ts";
import { type ZipEntry, zip } from "../../zip.ts";

/** Unpacks these bytes; returns what was unpacked, or the code of the error and what it names. */
async function unpacked(bytes: Buffer, how?: Unpacking): Promise<Record<string, string> | string[]> {
  const root = mkdtempSync(join(tmpdir(), "scorel-zip-"));
  try {
    const into = join(root, "into");
    mkdirSync(into);
    writeFileSync(join(root, "a.zip"), bytes);
    const integrity = await unpack(join(root, "a.zip"), into, how);
    expect(integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
    return Object.fromEntries(filesBelow(into).map((file) => [relative(into, file), readFileSync(file, "utf8")]));
  } catch (thrown) {
    const { code, data = {} } = thrown as { code?: string; data?: Record<string, string> };
    if (code === undefined) throw thrown;
    return [code, data.reason ?? ""];
  } finally {
    expect(readdirSync(root).sort()).toEqual(["a.zip", "into"]);
    rmSync(root, { recursive: true });
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

const file = (path: string, content = "x"): ZipEntry => ({ path, content });
const folder = (path: string): ZipEntry => ({ path, method: 0, mode: 0o40755 });
const mebi = 1024 * 1024;

describe("a zip", () => {
  it("can be packed and unpacked without changes, deflated or stored, also with zip64", async () => {
    const entries = [
      folder("a/"),
      file("a/one", "1"),
      { ...file("./b", "2".repeat(70_000)), method: 0 },
      file("empty", ""),
      { ...file("large", "3"), zip64: true as const },
    ];
    const expected = { "a/one": "1", b: "2".repeat(70_000), empty: "", large: "3" };
    expect(await unpacked(zip(entries))).toEqual(expected);
    expect(await unpacked(zip(entries, { comment: "made by hand" }))).toEqual(expected);
    expect(await unpacked(zip([]))).toEqual({});
  });

  itWith("python", "of another program can be read, and its scripts stay executable", async () => {
    const root = mkdtempSync(join(tmpdir(), "scorel-zip-"));
    try {
      const make = [
        "import zipfile",
        "z = zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED)",
        "z.writestr('é/words.md', 'words' * 1000)",
        "i = zipfile.ZipInfo('run.sh'); i.external_attr = 0o100755 << 16; z.writestr(i, 'run')",
        "i = zipfile.ZipInfo('dos.txt'); i.create_system = 0; i.external_attr = 0x20; z.writestr(i, 'dos')",
        "z.open('streamed', 'w', force_zip64=True).close()",
        "z.close()",
      ];
      execFileSync("python3", ["-c", make.join("\n")], { cwd: root });
      mkdirSync(join(root, "into"));
      await unpack(join(root, "out.zip"), join(root, "into"));
      const modes = ["run.sh", "dos.txt"].map((name) => (statSync(join(root, "into", name)).mode & 0o7777).toString(8));
      expect(modes).toEqual(["700", "600"]);
      expect(await unpacked(readFileSync(join(root, "out.zip")))).toEqual({
        "é/words.md": "words".repeat(1000),
        "run.sh": "run",
        "dos.txt": "dos",
        streamed: "",
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it.each<[string, ZipEntry[], string]>([
    ["a link", [{ path: "a", content: "/etc/passwd", mode: 0o120777 }], "is a link"],
    ["a link that says it is a folder", [{ path: "a/", method: 0, mode: 0o120777 }], "is a link"],
    ["a device", [{ path: "a", mode: 0o20644 }], "is neither a file nor a folder"],
    ["a pipe", [{ path: "a", mode: 0o10644 }], "is neither a file nor a folder"],
    ["a folder named as a file", [{ path: "a", mode: 0o40755 }], "is neither a file nor a folder"],
    ["a folder with bytes", [{ path: "a/", content: "x", mode: 0o40755 }], "is a folder with content"],
    ["an absolute path", [file("/etc/cron.d/x")], "is an absolute path"],
    ["a path with a drive", [file("C:/x")], "is an absolute path"],
    ["a colon", [file("a/b:hidden")], "contains a colon"],
    ["a way out", [file("a/../../x")], "leads out of the folder"],
    ["a folder that is a way out", [folder("../")], "leads out of the folder"],
    ["a backslash", [file("a\\..\\b")], "contains a backslash or a control character"],
    ["an escape sequence", [file("a\u001b[2J")], "contains a backslash or a control character"],
    ["an end of a string", [file("a\u0000.txt")], "contains a backslash or a control character"],
    ["a name in some other encoding", [{ path: Buffer.from([0x61, 0xff]) }], "has a name that is not UTF-8"],
    ["a name twice", [file("a"), file("./a")], "occurs twice"],
    ["a file that is a folder too", [file("a"), file("a/b")], "occurs twice"],
    ["names that differ in case", [file("Readme"), file("README")], 'differs from "Readme" only in case'],
    ["a password", [{ ...file("a"), flags: 1 }], "is encrypted"],
    ["hidden headers", [{ ...file("a"), flags: 0x2000 }], "is encrypted"],
    ["a rare compression", [{ ...file("a"), method: 12 }], "uses an unsupported compression method (12)"],
    ["another name at its data", [{ ...file("a"), local: { path: "b" } }], "differs from its local header"],
    ["another packing at its data", [{ ...file("a"), local: { method: 0 } }], "differs from its local header"],
    ["a password at its data only", [{ ...file("a"), local: { flags: 1 } }], "differs from its local header"],
    ["data of another", [file("a"), { ...file("a"), sameAs: 1 }], "shares its bytes with another"],
    [
      "data that reaches into another",
      [{ ...file("a", "xyz"), packedSize: 30 }, file("b")],
      "shares its bytes with another",
    ],
  ])("is refused completely for %s", async (_, entries, reason) => {
    expect(await unpacked(zip([file("first"), ...entries]))).toEqual(["ARCHIVE_ENTRY", reason]);
  });

  it("is refused if it contains more than the limits allow, by the number of unpacked bytes", async () => {
    const limits = { entries: 20, fileBytes: 2 * mebi, allBytes: 3 * mebi };
    const zeros = (path: string, size: number): ZipEntry => ({ path, content: Buffer.alloc(size) });
    const many = (count: number) => Array.from({ length: count }, (_, index) => file(`f${index}`));
    expect(Object.keys(await unpacked(zip(many(20)), { limits }))).toHaveLength(20);
    expect(await unpacked(zip(many(21)), { limits })).toEqual(["ARCHIVE_LIMIT", "it holds more than 20 entries"]);
    const large = [zeros("a", 2 * mebi), zeros("b", mebi)];
    expect(Object.keys(await unpacked(zip(large), { limits }))).toEqual(["a", "b"]);
    const larger = zeros("a", 2 * mebi + 1);
    expect(await unpacked(zip([larger]), { limits })).toEqual(["ARCHIVE_ENTRY", "is larger than 2 MiB"]);
    expect(await unpacked(zip([...large, zeros("c", 1)]), { limits })).toEqual([
      "ARCHIVE_LIMIT",
      "it holds more than 3 MiB",
    ]);
    // Its header claims a small size.
    expect(await unpacked(zip([{ ...larger, size: 10 }]), { limits })).toEqual([
      "ARCHIVE_DAMAGED",
      expect.stringContaining("too many bytes"),
    ]);
  });

  it.each<[string, () => Buffer, RegExp]>([
    ["a wrong checksum", () => zip([{ ...file("a"), crc: 1 }]), /does not have its checksum/],
    ["a size that is not there", () => zip([{ ...file("a"), size: 9 }]), /not enough bytes/],
    ["data that is not there", () => zip([{ ...file("a"), packedSize: 9_000 }]), /file data overflows file bounds/],
    ["more entries than there are", () => zip([file("a")], { count: 2 }), /unexpected EOF/],
    ["a cut end", () => zip([file("a")]).subarray(0, -9), /End of central directory/],
    ["something behind it", () => Buffer.concat([zip([file("a")]), Buffer.from("more")]), /comment length/],
    ["no zip behind its first bytes", () => Buffer.from("PK\u0003\u0004rest"), /End of central directory/],
  ])("is refused as damaged for %s", async (_, make, reason) => {
    expect(await unpacked(make())).toEqual(["ARCHIVE_DAMAGED", expect.stringMatching(reason)]);
  });

  it("must match its checksum, if known", async () => {
    const plain = tar([{ path: "a", content: "x" }]);
    const bytes = { zip: zip([file("a")]), tar: plain, "tar.gz": gzipSync(plain) };
    for (const [is, content] of Object.entries(bytes))
      for (const kind of ["zip", "tar", "tar.gz"] as const)
        expect(await unpacked(content, { kind })).toEqual(
          is === kind
            ? { a: "x" }
            : ["ARCHIVE_FORMAT", `by its name it is a .${kind}, but its content is not in that format`],
        );
  });

  it("never writes outside of its folder or anything that it does not contain, whatever its bytes are", async () => {
    const path = fc.oneof(
      fc.constantFrom("a", "A", "a/b", "../x", "/x", "a/../b", "a//b", "./a", "", "..", "a/", "C:x"),
      fc.string({ maxLength: 20 }),
    );
    const entry = fc.record({
      path,
      content: fc.string({ maxLength: 40 }),
      method: fc.constantFrom(0, 8),
      mode: fc.constantFrom(0o100644, 0o100755, 0o40755, 0o120777, 0),
      flags: fc.constantFrom(0, 0, 0, 0x800, 1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.option(fc.nat(2000)), async (entries, spoilt) => {
        const whole = zip(entries);
        if (spoilt !== null) whole[spoilt % whole.length] = (whole[spoilt % whole.length] as number) ^ 0x55;
        const answer = await unpacked(whole);
        if (Array.isArray(answer)) expect(answer[0]).toMatch(/^ARCHIVE_/);
        else for (const words of Object.values(answer)) expect(entries.map(({ content }) => content)).toContain(words);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
