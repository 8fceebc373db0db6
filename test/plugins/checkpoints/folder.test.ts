import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let root = "";
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-folder-")));
});
afterEach(() => {
  vi.doUnmock("node:fs");
  fs.rmSync(root, { recursive: true });
});

/** Loads the module as on a system that has names for open folders, or has none. */
async function onSystem(named: boolean) {
  vi.resetModules();
  vi.doMock("node:fs", async (original) => ({
    ...(await original<typeof fs>()),
    existsSync: (path: string) => (path === "/proc/self/fd" ? named : fs.existsSync(path)),
  }));
  return import("../../../plugins/checkpoints/restore/folder.ts");
}

describe.each([
  ["where an open folder has a name", true],
  ["where it has none", false],
])("a folder %s", (_name, named) => {
  it("is opened parent by parent, and created on request", async () => {
    const { inFolder } = await onSystem(named);
    const write = () => inFolder(root, "a/b/c", true, (folder, name) => fs.writeFileSync(folder.at(name), "1"));
    expect(inFolder(root, "a/b/c", false, () => "found")).toBeUndefined();
    write();
    expect(fs.readFileSync(join(root, "a/b/c"), "utf8")).toBe("1");
    expect(inFolder(root, "a/b/c", false, (_folder, name) => name)).toBe("c");
  });

  it("is not opened through a link", async () => {
    const { inFolder } = await onSystem(named);
    fs.mkdirSync(join(root, "real/deep"), { recursive: true });
    fs.symlinkSync("real", join(root, "link"));
    for (const path of ["link/x", "link/deep/x"])
      expect(() => inFolder(root, path, true, () => "reached")).toThrow(
        expect.objectContaining({ code: "CHECKPOINT_PATH" }),
      );
  });

  it("that is replaced by a link while it is open does not lead elsewhere", async () => {
    const { inFolder } = await onSystem(named);
    for (const name of ["d", "outside"]) fs.mkdirSync(join(root, name));
    const exchange = () => {
      fs.renameSync(join(root, "d"), join(root, "moved"));
      fs.symlinkSync("outside", join(root, "d"));
    };
    const write = () =>
      inFolder(root, "d/x", false, (folder, name) => {
        exchange();
        fs.writeFileSync(folder.at(name), "1");
      });
    if (named) write();
    else expect(write).toThrow(expect.objectContaining({ code: "CHECKPOINT_PATH" }));
    expect(fs.readdirSync(join(root, "outside"))).toEqual([]);
    expect(fs.readdirSync(join(root, "moved"))).toEqual(named ? ["x"] : []);
  });
});
