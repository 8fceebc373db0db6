import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasDefault, newTable, tableText, takeBack, writeModel } from "../../plugins/models/model-file.ts";
import { limitedFiles, mountedFile, type SmallDisk, smallFileSystem } from "../fault/disk.ts";
import { itWith } from "../optional.ts";
import { secondProcess } from "../second-process.ts";

afterEach(() => void vi.unstubAllEnvs());

const model = { provider: "local", id: "m1", baseUrl: "http://127.0.0.1:8000/v1", contextWindow: 32_000 };

/** A user's configuration in a home in which files can have one kilobyte. */
function config(text: string) {
  const disk = limitedFiles(1);
  vi.stubEnv("HOME", disk.directory);
  const path = join(disk.directory, ".scorel", "config.toml");
  mkdirSync(join(disk.directory, ".scorel"));
  writeFileSync(path, text);
  const { directory, through } = disk;
  return { path, directory, through, [Symbol.dispose]: () => disk[Symbol.dispose]() };
}

describe("a configuration to which a model is added", () => {
  it("stays as it is when the disk has room for a part of the table only", async () => {
    const before = `# ${"x".repeat(900)}\n`;
    using own = config(before);
    const script = new URL("model-file-main.ts", import.meta.url);
    await using other = await secondProcess(script, own.directory, [], { through: own.through });
    expect([await other.line(), readFileSync(own.path, "utf8")]).toEqual(["MODELS_FILE", before]);
  });

  it("is searched for tables within a second, also with 20,000 blank lines", () => {
    const began = performance.now();
    expect(hasDefault(`${"\n".repeat(20_000)}x = 1\n`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(["x = 1\n\n \t[ model ]\n", "\n\n model.id = 1\n", "[model.x]"].map(hasDefault)).toEqual([true, true, true]);
    expect(["[models.a]\nmodel = 1", "# [model]", "[x]\nmodel.id = 1"].map(hasDefault)).toEqual([false, false, false]);
  });

  it("stays as another program has written it since it was read", () => {
    using own = config("# before\n");
    const where = newTable(model.provider);
    writeFileSync(own.path, "# after\n");
    expect(() => writeModel(where, model)).toThrow(expect.objectContaining({ code: "MODELS_FILE" }));
    expect(readFileSync(own.path, "utf8")).toBe("# after\n");
  });

  it.each([
    ["Lab", "models.lab"],
    ["my.server", "models.my-server"],
    ["lab gpu", "models.lab-gpu"],
    ["192-168-1-5", "models.server-192-168-1-5"],
    ["实验室", "models.server--"],
  ])("gets a table with a name that tables may have, for the provider %s", (provider, name) => {
    using own = config("[model]\n");
    expect(newTable(provider)).toEqual({
      path: own.path,
      name,
      alias: name.slice("models.".length),
      text: "[model]\n",
    });
  });

  itWith("mounts", "is written in place where it is a mounted file, as in containers", () => {
    using own = config("# before\n");
    using _mounted = mountedFile(own.path, own.path);
    const where = newTable(model.provider);
    writeModel(where, model);
    expect(readFileSync(own.path, "utf8")).toBe(`# before\n\n${tableText(where, model)}`);
    takeBack(where, model);
    expect(readFileSync(own.path, "utf8")).toBe("# before\n");
  });

  itWith("mounts", "is emptied where it is a mounted file that was empty", () => {
    using own = config("");
    using _mounted = mountedFile(own.path, own.path);
    const where = newTable(model.provider);
    writeModel(where, model);
    takeBack(where, model);
    expect(readFileSync(own.path, "utf8")).toBe("");
  });

  itWith("mounts", "stays as it is when it is a mounted file whose disk is full", () => {
    using own = config("");
    using disk = smallFileSystem(64) as SmallDisk;
    const before = `# ${"x".repeat(4_000)}\n`;
    const file = join(disk.directory, "config.toml");
    writeFileSync(file, before);
    disk.fill?.();
    using _mounted = mountedFile(file, own.path);
    const long = { ...model, id: "m".repeat(200) };
    expect(() => writeModel(newTable(long.provider), long)).toThrow(expect.objectContaining({ code: "MODELS_FILE" }));
    expect(readFileSync(own.path, "utf8")).toBe(before);
  });

  it("is created where a link to it leads, and removed there", () => {
    using own = config("");
    const target = join(own.directory, "dotfiles.toml");
    rmSync(own.path);
    symlinkSync("link.toml", own.path);
    symlinkSync("../dotfiles.toml", join(own.directory, ".scorel", "link.toml"));
    const where = newTable(model.provider);
    writeModel(where, model);
    expect([readlinkSync(own.path), readFileSync(target, "utf8")]).toEqual(["link.toml", tableText(where, model)]);
    takeBack(where, model);
    expect([readlinkSync(own.path), existsSync(target)]).toEqual(["link.toml", false]);
  });
});
