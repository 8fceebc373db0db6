import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { makeTemporaryFolder } from "../../../../plugins/kit/files/temporary.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "scorel-kit-")));
afterAll(() => rmSync(base, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

describe("a temporary folder", () => {
  it("is new each time, with its real path, and can be entered only by this user", () => {
    symlinkSync(base, join(base, "link"));
    vi.stubEnv("TMPDIR", join(base, "link"));
    const made = [makeTemporaryFolder("kit-"), makeTemporaryFolder("kit-")];
    expect(new Set(made).size).toBe(2);
    for (const path of made) {
      expect([dirname(path), basename(path).startsWith("kit-"), statSync(path).mode & 0o777]).toEqual([
        base,
        true,
        0o700,
      ]);
      rmSync(path, { recursive: true });
    }
  });

  it("that cannot be created throws an error that names the variable to set", () => {
    const missing = join(base, "missing");
    vi.stubEnv("TMPDIR", missing);
    expect(() => makeTemporaryFolder("kit-")).toThrow(
      expect.objectContaining({
        code: "TEMPORARY_FOLDER",
        message: `The folder for temporary files, TMPDIR=${missing}, cannot be used (ENOENT). Set TMPDIR to a folder that exists and that you can write to.`,
      }),
    );
  });

  it("inside of a file throws the same error", () => {
    const file = join(base, "file");
    writeFileSync(file, "");
    vi.stubEnv("TMPDIR", file);
    expect(() => makeTemporaryFolder("kit-")).toThrow("cannot be used (ENOTDIR)");
  });
});
