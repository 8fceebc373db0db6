import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openRegular, readText } from "../../../../plugins/kit/files/open.ts";

const folder = mkdtempSync(join(tmpdir(), "scorel-kit-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

describe("opening a regular file", () => {
  it("returns the file itself, even if its path is replaced later", () => {
    writeFileSync(at("file"), "one");
    const file = openRegular(at("file"));
    writeFileSync(at("other"), "two and more");
    renameSync(at("other"), at("file"));
    expect([file?.stat.size, readFileSync(file?.fd as number, "utf8")]).toEqual([3, "one"]);
    closeSync(file?.fd as number);
  });

  it("returns nothing for a folder, or for a FIFO without a writer", () => {
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("fifo")]);
    expect([openRegular(at("folder")), openRegular(at("fifo"))]).toEqual([undefined, undefined]);
  });

  it("refuses a link and a missing file", () => {
    writeFileSync(at("target"), "secret");
    symlinkSync(at("target"), at("link"));
    expect(() => openRegular(at("link"))).toThrow("ELOOP");
    expect(() => openRegular(at("missing"))).toThrow("ENOENT");
  });
});

describe("reading a file", () => {
  it("returns its text, also through a link", () => {
    writeFileSync(at("text"), "käse");
    symlinkSync(at("text"), at("to-text"));
    expect([readText(at("text")), readText(at("to-text"))]).toEqual(["käse", "käse"]);
  });

  it("refuses a FIFO instead of waiting for its writer", () => {
    execFileSync("mkfifo", [at("endless")]);
    expect(() => readText(at("endless"))).toThrow("it is not a file");
  });
});
