import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFile, readIfPresent, replaceFile } from "../../../../plugins/kit/files/private.ts";
import { makePrivateFolder } from "../../../../plugins/kit/files/private-folder.ts";

describe("replacing a file", () => {
  it("writes the whole content, readable only by this user, and leaves no temporary file", () => {
    using place = folder();
    for (const content of ["one", Buffer.from("two")]) {
      replaceFile(place.at("file"), content, { durable: true });
      expect(fs.readFileSync(place.at("file"))).toEqual(Buffer.from(content));
    }
    expect(fs.statSync(place.at("file")).mode & 0o777).toBe(0o600);
    expect(place.names()).toEqual(["file"]);
  });

  it("restricts a file that others could read, and sets the requested mode", () => {
    using place = folder();
    fs.writeFileSync(place.at("file"), "one", { mode: 0o644 });
    replaceFile(place.at("file"), "two");
    expect(fs.statSync(place.at("file")).mode & 0o777).toBe(0o600);
    replaceFile(place.at("file"), "three", { mode: 0o700 });
    expect(fs.statSync(place.at("file")).mode & 0o777).toBe(0o700);
  });

  it("replaces a link instead of following it", () => {
    using place = folder();
    fs.writeFileSync(place.at("other"), "untouched");
    fs.symlinkSync(place.at("other"), place.at("file"));
    replaceFile(place.at("file"), "new");
    expect(fs.lstatSync(place.at("file")).isFile()).toBe(true);
    expect([readIfPresent(place.at("file")), readIfPresent(place.at("other"))]).toEqual(["new", "untouched"]);
  });

  it("leaves the file unchanged if the last check throws after the content was written", () => {
    using place = folder();
    replaceFile(place.at("file"), "old");
    const names: string[] = [];
    const before = () => {
      names.push(...place.names());
      throw new Error("lost the lock");
    };
    expect(() => replaceFile(place.at("file"), "new", { before })).toThrow("lost the lock");
    expect(names).toEqual(["file", expect.stringMatching(/^file\.\w+\.tmp$/)]);
    expect([readIfPresent(place.at("file")), place.names()]).toEqual(["old", ["file"]]);
  });

  it("leaves no temporary file if a folder has the name", () => {
    using place = folder();
    fs.mkdirSync(join(place.at("file"), "full"), { recursive: true });
    expect(() => replaceFile(place.at("file"), "new")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(place.names()).toEqual(["file"]);
  });
});

describe("creating a file", () => {
  it("uses a free name, and changes nothing if the name is in use, also by a dangling link", () => {
    using place = folder();
    expect(createFile(place.at("file"), "one")).toBe(true);
    expect(createFile(place.at("file"), "two")).toBe(false);
    fs.symlinkSync(place.at("nothing"), place.at("link"));
    expect(createFile(place.at("link"), "three")).toBe(false);
    expect([readIfPresent(place.at("file")), place.names()]).toEqual(["one", ["file", "link"]]);
    expect(fs.statSync(place.at("file")).mode & 0o777).toBe(0o600);
  });
});

it("a private folder is created with its parents, and one that others can enter is restricted", () => {
  using place = folder();
  makePrivateFolder(join(place.at("a"), "b"));
  expect(fs.statSync(place.at("a")).mode & 0o777).toBe(0o700);
  fs.chmodSync(place.at("a"), 0o755);
  makePrivateFolder(place.at("a"));
  expect(fs.statSync(place.at("a")).mode & 0o777).toBe(0o700);
});

it("a missing file has no text; an unreadable one is an error", () => {
  using place = folder();
  expect(readIfPresent(place.at("nothing"))).toBeUndefined();
  expect(() => readIfPresent(place.at("."))).toThrow("EISDIR");
});

function folder() {
  const path = fs.mkdtempSync(join(tmpdir(), "scorel-kit-"));
  return {
    at: (name: string) => join(path, name),
    names: () => fs.readdirSync(path).sort(),
    [Symbol.dispose]: () => fs.rmSync(path, { recursive: true, force: true }),
  };
}
