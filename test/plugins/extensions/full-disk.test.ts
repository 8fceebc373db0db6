import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, vi } from "vitest";
import { createLoader } from "../../../plugins/extensions/load/entries.ts";
import { createExtensionLoader } from "../../../plugins/extensions/load/loader.ts";
import { type SmallDisk, smallFileSystem } from "../../fault/disk.ts";
import { itWith } from "../../optional.ts";

const SOURCE =
  'import type { Kernel } from "@scorel/kernel";\nexport default { id: "mine", name: "Mine", version: "1.0.0" };\n';

/** An extension that is on another disk. */
function extension() {
  const folder = mkdtempSync(join(tmpdir(), "scorel-extension-"));
  const path = join(folder, "mine.ts");
  writeFileSync(path, SOURCE);
  return {
    file: { id: "mine", path, file: path, of: "user" as const },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

afterEach(() => void vi.unstubAllEnvs());

itWith("mounts", "an extension is loaded while the disk has no room to keep its compiled code", async () => {
  using disk = smallFileSystem(64) as SmallDisk;
  using own = extension();
  const places = { folder: join(disk.directory, "jiti"), keyFile: join(disk.directory, "cache.key") };
  mkdirSync(places.folder);
  const load = async () => (await createExtensionLoader(places)(own.file)).id;
  disk.fill?.();
  expect([await load(), readdirSync(places.folder)]).toEqual(["mine", []]);
  disk.free?.();
  expect([await load(), readdirSync(places.folder)]).toEqual(["mine", [expect.stringMatching(/\.js$/)]]);
});

itWith("mounts", "an extension is loaded while the disk has no room for the folder of compiled code", async () => {
  using disk = smallFileSystem(64, 3) as SmallDisk;
  using own = extension();
  const files = join(disk.directory, ".scorel");
  mkdirSync(files, { mode: 0o700 });
  vi.stubEnv("HOME", disk.directory);
  disk.fill?.();
  expect([(await (await createLoader())(own.file)).id, readdirSync(files)]).toEqual(["mine", []]);
});
