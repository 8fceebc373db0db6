import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createCodeCache } from "../../presets/bundle/code-cache.ts";
import { place } from "./place.ts";

// Disabled, because V8 would otherwise reuse what this process has compiled before.
setFlagsFromString("--no-compilation-cache");

/** An expression with a given value, long enough to be cached; all have the same length. */
const source = (value: number) => `(${value}) /* ${"x".repeat(20_000)} */`;

/** A file of code with the value 1, in a home with a folder of sessions. */
function installed() {
  const at = place();
  mkdirSync(join(at.home, ".scorel/sessions"), { recursive: true, mode: 0o700 });
  const file = at.file("code.js", source(1));
  const folder = join(at.home, ".scorel/cache/code");
  const kept = () => join(folder, readdirSync(folder)[0] as string);
  return {
    home: at.home,
    file,
    folder,
    kept,
    /** Simulates one process: returns the value of the file and notes these parts as in use. */
    run(...parts: string[]) {
      const cache = createCodeCache();
      const value = cache.evaluate(file);
      for (const part of parts) cache.use(file, part);
      cache.keep();
      return value;
    },
    /** Caches code with the value 2 for the file. V8 compares only the length of sources, so it runs if the cache is used. */
    plant(mistake: { source?: number; code?: number } = {}) {
      const code = new Script(`${source(2)}\n`).createCachedData();
      const label = { source: crc32(readFileSync(file)), code: crc32(code), parts: [], ...mistake };
      writeFileSync(kept(), Buffer.concat([Buffer.from(`${JSON.stringify(label)}\n`), code]));
    },
    [Symbol.dispose]: () => at[Symbol.dispose](),
  };
}

describe("the code cache", () => {
  it("writes compiled code that only this user can read", () => {
    using at = installed();
    expect(at.run()).toBe(1);
    expect(readdirSync(at.folder)).toEqual([expect.stringMatching(/^code-[0-9a-f]+\.bin$/)]);
    expect([statSync(at.folder).mode & 0o777, statSync(at.kept()).mode & 0o777]).toEqual([0o700, 0o600]);
  });
  it("runs the cached code in the next process", () => {
    using at = installed();
    at.run();
    at.plant();
    expect(at.run()).toBe(2);
  });
  it("compiles again when the file has changed", () => {
    using at = installed();
    at.run();
    at.plant();
    writeFileSync(at.file, `${source(3)}\n`);
    expect(at.run()).toBe(3);
  });
  it("compiles again when the cache file is damaged, and rewrites it", () => {
    using at = installed();
    at.run();
    for (const damage of [
      () => at.plant({ code: 0 }),
      () => writeFileSync(at.kept(), "{}\n"),
      () => writeFileSync(at.kept(), ""),
    ]) {
      damage();
      expect(at.run()).toBe(1);
      at.plant();
      expect(at.run()).toBe(2);
    }
  });
  it("ignores code that V8 rejects", () => {
    using at = installed();
    at.run();
    const code = Buffer.from("of another version of V8");
    const label = { source: crc32(readFileSync(at.file)), code: crc32(code), parts: [] };
    writeFileSync(at.kept(), `${JSON.stringify(label)}\n${code}`);
    expect(at.run()).toBe(1);
    expect(statSync(at.kept()).size).toBeGreaterThan(200);
  });
  it("neither reads nor writes a folder that others can write to", () => {
    using at = installed();
    at.run();
    at.plant();
    const before = readFileSync(at.kept());
    for (const weak of [".scorel/cache/code", ".scorel/cache", ".scorel"]) {
      chmodSync(join(at.home, weak), 0o777);
      expect(at.run("new")).toBe(1);
      chmodSync(join(at.home, weak), 0o700);
    }
    expect(readFileSync(at.kept())).toEqual(before);
    expect(at.run()).toBe(2);
  });
  it("compiles again once more parts of a file are in use", () => {
    using at = installed();
    const label = () => JSON.parse(readFileSync(at.kept(), "latin1").split("\n")[0] as string);
    at.run("a");
    at.run("b");
    at.run("a");
    expect(label().parts).toEqual(["a", "b"]);
  });
  it("writes nothing in a home without a folder of sessions", () => {
    using at = installed();
    rmdirSync(join(at.home, ".scorel/sessions"));
    expect(at.run()).toBe(1);
    expect(readdirSync(join(at.home, ".scorel"))).toEqual([]);
  });
  it("does not cache a short file", () => {
    using at = installed();
    writeFileSync(at.file, "(1)");
    expect(at.run()).toBe(1);
    expect(readdirSync(join(at.home, ".scorel"))).toEqual(["sessions"]);
  });
  it("deletes cache files that were not written for a month", () => {
    using at = installed();
    at.run();
    const old = join(at.folder, "old.bin");
    writeFileSync(old, "");
    utimesSync(old, 0, 0);
    at.run("a");
    expect(readdirSync(at.folder)).toEqual([expect.stringMatching(/^code-/)]);
  });
  it("works without a home directory", () => {
    using at = installed();
    process.env.HOME = "not/a/full/path";
    expect(at.run()).toBe(1);
    expect(readdirSync(join(at.home, ".scorel"))).toEqual(["sessions"]);
  });
});
