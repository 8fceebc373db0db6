import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasDefault, newTable, tableText, takeBack, whereFor, writeModel } from "../../plugins/models/model-file.ts";
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

  it("gets one table for one model if its lines end as in Windows", () => {
    using own = config("# mine\r\n[model]\r\nid = 'x'\r\n");
    writeModel(whereFor(model), model);
    const once = readFileSync(own.path, "utf8");
    expect(once.replaceAll("\r\n", "")).not.toContain("\n");
    writeModel(whereFor(model), { ...model, contextWindow: 64_000 });
    expect(readFileSync(own.path, "utf8")).toBe(once.replace("32000", "64000").replace("8000\r", "16000\r"));
  });

  it("is searched for tables outside of strings of several lines", () => {
    const table = '[model]\ntype = "custom"\nprovider = "local"\nid = "m1"\nbaseUrl = "http://127.0.0.1:8000/v1"\n';
    const strings = [`\n[prompt]\nuser = """\n${table}\\""" more"""\n`, `\n[prompt]\nuser = '''\n${table}'''\n`];
    expect(strings.map(hasDefault)).toEqual([false, false]);
    expect([`# """\n${table}`, `x = "#" # '''\n${table}`, `x = '"""'\n${table}`].map(hasDefault)).toEqual([
      true,
      true,
      true,
    ]);
    using own = config(`${strings[0]}${table}`);
    writeModel(whereFor(model), model);
    expect(readFileSync(own.path, "utf8")).toBe(`${strings[0]}${tableText(whereFor(model), model)}`);
  });

  it("gets a table with a name of its own for each of 150 models of one provider", () => {
    const names = Array.from({ length: 149 }, (_, at) => `[models.lab${at === 0 ? "" : `-${at + 1}`}]\n`);
    using _own = config(`[model]\n${names.join("")}`);
    expect(newTable("lab").name).toBe("models.lab-150");
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
