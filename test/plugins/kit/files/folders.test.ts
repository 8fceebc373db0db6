import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesIn } from "../../../../plugins/kit/files/changes.ts";
import { copyOf, keepCopy, removeCopy, removeStale } from "../../../../plugins/kit/files/copy.ts";
import { sha256Of } from "../../../../plugins/kit/files/hash.ts";
import { projectDir, rootOf, userDir, userHome } from "../../../../plugins/kit/files/home.ts";
import { makeFolder } from "../../../../plugins/kit/files/make-folder.ts";
import { openToRead } from "../../../../plugins/kit/files/open.ts";
import {
  assertPrivate,
  closeToOthers,
  flawOf,
  makePrivate,
  makePrivateFolder,
} from "../../../../plugins/kit/files/private-folder.ts";
import { readBytes, readTree, type Tree, treeOf } from "../../../../plugins/kit/files/tree.ts";
import { weaknessOf } from "../../../../plugins/kit/files/weakness.ts";
import { readOnlyView } from "../../../fault/disk.ts";
import { itWith } from "../../../optional.ts";

const before = process.env.HOME;
let root: string;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-kit-")));
  process.env.HOME = join(root, "home");
  fs.mkdirSync(join(root, "home"));
});
afterEach(() => {
  process.env.HOME = before;
  fs.rmSync(root, { recursive: true });
});

function file(path: string, content = "", mode = 0o644): string {
  const full = join(root, path);
  fs.mkdirSync(dirname(full), { recursive: true });
  fs.writeFileSync(full, content, { mode });
  return full;
}
const refuse = (path: string, reason: string) => new Error(`${path.slice(root.length + 1)} ${reason}`);
const read = () => readTree(root, [join(root, "a"), join(root, "b")], { refuse, skipped: ["skip"] });
const modeOf = (path: string) => fs.statSync(path).mode & 0o777;
const tree = (files: Record<string, string>): Tree =>
  treeOf(root, new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

describe("making a folder", () => {
  it("makes the missing folders above it, all of them only for this user", () => {
    makeFolder(join(root, "one/two/three"));
    expect(["one", "one/two", "one/two/three"].map((path) => modeOf(join(root, path)))).toEqual([0o700, 0o700, 0o700]);
  });

  it("gives all of them the mode that is asked for", () => {
    makeFolder(join(root, "one/two"), 0o755);
    expect(["one", "one/two"].map((path) => modeOf(join(root, path)))).toEqual([0o755, 0o755]);
  });

  it("leaves an existing folder as it is, also behind a link", () => {
    fs.mkdirSync(join(root, "there"), { mode: 0o755 });
    fs.symlinkSync("there", join(root, "link"));
    for (const name of ["there", "link"]) makeFolder(join(root, name));
    expect(modeOf(join(root, "there"))).toBe(0o755);
  });

  it("refuses a path at which, or above which, there is no folder", () => {
    file("plain");
    fs.symlinkSync("missing", join(root, "dangling"));
    expect(() => makeFolder(join(root, "plain"))).toThrow("EEXIST");
    expect(() => makeFolder(join(root, "plain/below"))).toThrow("ENOTDIR");
    expect(() => makeFolder(join(root, "dangling/below"))).toThrow("EEXIST");
  });

  itWith("mounts", "accepts one on a read-only file system whose mode cannot be changed", () => {
    const open = join(root, "open");
    fs.mkdirSync(open, { mode: 0o755 });
    using _view = readOnlyView(open) as Disposable;
    makePrivate(open);
    makePrivateFolder(open);
    expect(modeOf(open)).toBe(0o755);
  });

  itWith("linux", "ends where no folder can be made, although those above exist", () => {
    expect(() => makeFolder("/proc/.scorel/sessions")).toThrow("ENOENT");
  });
});

describe("a tree", () => {
  it("has all files of its folders by path, also behind links inside, but none that is skipped", () => {
    file("b/real.txt", "real");
    file("a/deep/run.sh", "run", 0o755);
    file("a/skip/x");
    fs.symlinkSync(join(root, "b/real.txt"), join(root, "a/link.txt"));
    const { files, executables } = read();
    expect([...files].map(([path, bytes]) => [path, String(bytes)])).toEqual([
      ["a/deep/run.sh", "run"],
      ["a/link.txt", "real"],
      ["b/real.txt", "real"],
    ]);
    expect([...(executables ?? [])]).toEqual(["a/deep/run.sh"]);
  });

  it.each([
    [
      "a link out of its folders",
      () => fs.symlinkSync(file("out.txt"), join(root, "a/x")),
      /^a\/x is a link to .*outside$/,
    ],
    ["a link to a folder", () => fs.symlinkSync(join(root, "b"), join(root, "a/x")), /^a\/x is a link to a folder$/],
    ["a FIFO", () => execFileSync("mkfifo", [join(root, "a/x")]), /^a\/x is neither a file nor a folder$/],
    ["a link to nothing", () => fs.symlinkSync("gone", join(root, "a/x")), /^a\/x cannot be read \(ENOENT\)$/],
  ])("is refused for %s", (_what, make, message) => {
    file("a/one");
    file("b/two");
    make();
    expect(read).toThrow(message);
  });

  it("has another hash when a path or a content differs, whatever the order in which it was read", () => {
    expect(tree({ a: "1", b: "2" }).hash).toBe(tree({ b: "2", a: "1" }).hash);
    const others: Record<string, string>[] = [{ a: "1" }, { a: "2" }, { b: "1" }, { a: "", b: "1" }];
    expect(new Set(others.map((files) => tree(files).hash)).size).toBe(4);
  });

  it("reads single files, and refuses links", () => {
    fs.symlinkSync(file("one", "1"), join(root, "link"));
    expect(String(readBytes(join(root, "one"), refuse))).toBe("1");
    expect(() => readBytes(join(root, "link"), refuse)).toThrow("link cannot be read (ELOOP)");
  });
});

describe("a private copy", () => {
  it("holds exactly the bytes of the tree, again when someone has changed it", () => {
    const kept = { ...tree({ "a/x": "1", "a/run": "2" }), executables: new Set(["a/run"]) };
    const folder = keepCopy(kept);
    expect([folder, modeOf(folder), modeOf(join(folder, "a/run"))]).toEqual([copyOf(kept.hash), 0o700, 0o700]);
    fs.writeFileSync(join(folder, "a/x"), "changed");
    fs.writeFileSync(join(folder, "more"), "");
    keepCopy(kept);
    expect([fs.readFileSync(join(folder, "a/x"), "utf8"), fs.readdirSync(folder)]).toEqual(["1", ["a"]]);
    removeCopy(kept.hash);
    expect(fs.existsSync(folder)).toBe(false);
  });

  it("is removed when it was not used for a week, unless it is to be kept", () => {
    const [old, kept, fresh] = ["1", "2", "3"].map((text) => keepCopy(tree({ a: text }), "presets")) as [
      string,
      string,
      string,
    ];
    const lastWeek = new Date(Date.now() - 8 * 24 * 3600 * 1000);
    for (const folder of [old, kept]) fs.utimesSync(folder, lastWeek, lastWeek);
    removeStale("presets", [tree({ a: "2" }).hash]);
    expect([old, kept, fresh].map((folder) => fs.existsSync(folder))).toEqual([false, true, true]);
  });

  it("shows what has changed since, with lines where they can be shown", () => {
    const earlier = { same: "s", text: "one\ntwo\n", binary: "\0", gone: "g" };
    const { hash, files } = tree(earlier);
    keepCopy(tree(earlier));
    const sums = { hash, files: Object.fromEntries([...files].map(([path, bytes]) => [path, sha256Of(bytes)])) };
    const now = tree({ same: "s", text: "one\n2\n", binary: "\0\0", new: "n" });
    expect(changesIn(now, sums)).toEqual([
      { path: "binary", how: "changed" },
      { path: "gone", how: "removed" },
      { path: "new", how: "added" },
      { path: "text", how: "changed", diff: "-two\n+2" },
    ]);
    expect([changesIn(tree(earlier), sums), changesIn(now, undefined)]).toEqual([undefined, undefined]);
    fs.writeFileSync(join(copyOf(hash), "text"), "changed by someone");
    expect(changesIn(now, sums)?.at(-1)).toEqual({ path: "text", how: "changed" });
  });
});

describe("home", () => {
  it("is refused when it is not a full path", () => {
    process.env.HOME = "here";
    expect(userHome).toThrow(expect.objectContaining({ code: "CONFIG_HOME" }));
  });

  it("is never a project; a project's folder is the nearest one up to its git root", () => {
    const deep = join(root, "home/repo/deep");
    fs.mkdirSync(deep, { recursive: true });
    fs.mkdirSync(userDir());
    fs.mkdirSync(join(root, "home/.git"));
    expect([projectDir(deep), rootOf(deep)]).toEqual([undefined, deep]);
    fs.mkdirSync(join(root, "home/repo/.scorel"));
    expect(projectDir(deep)).toBeUndefined();
    fs.mkdirSync(join(root, "home/repo/.git"));
    expect([projectDir(deep), rootOf(deep)]).toEqual([join(root, "home/repo/.scorel"), join(root, "home/repo")]);
  });
});

describe("a folder of the user's own", () => {
  const refused = expect.objectContaining({ code: "EXTENSION_FOLDER" });

  it("is made for this user only, and closed to readers", () => {
    const [made, open] = [join(root, "deep/made"), join(root, "open")];
    makePrivate(made);
    fs.mkdirSync(open, { mode: 0o755 });
    closeToOthers(open);
    expect([modeOf(made), modeOf(open)]).toEqual([0o700, 0o700]);
  });

  it("is refused when others can write it, or it is a link or a file", () => {
    fs.mkdirSync(join(root, "wide"));
    fs.chmodSync(join(root, "wide"), 0o777);
    fs.symlinkSync(root, join(root, "link"));
    file("plain");
    for (const name of ["wide", "link", "plain"]) expect(() => assertPrivate(join(root, name))).toThrow(refused);
    expect(() => makePrivate(join(root, "wide"))).toThrow(refused);
    expect(() => assertPrivate(join(root, "missing"))).not.toThrow();
  });

  it("is narrowed where Scorel itself has made it", () => {
    fs.mkdirSync(join(root, "wide"));
    fs.chmodSync(join(root, "wide"), 0o777);
    makePrivateFolder(join(root, "wide"));
    expect(modeOf(join(root, "wide"))).toBe(0o700);
  });

  it("names a command that mends it, for any path", () => {
    const path = join(root, "it's wide");
    fs.mkdirSync(path);
    fs.chmodSync(path, 0o777);
    execFileSync("sh", ["-c", weaknessOf(path, fs.lstatSync(path))?.command ?? ""]);
    expect([modeOf(path), weaknessOf(path, fs.lstatSync(path))]).toEqual([0o755, undefined]);
  });

  it("holds files that can be trusted unless others can write them", () => {
    const stats = (path: string) => flawOf(fs.lstatSync(path));
    const wide = file("wide.txt");
    fs.chmodSync(wide, 0o666);
    expect([stats(file("own.txt")), stats(wide), stats(root)]).toEqual([
      undefined,
      "other users can write it",
      "it is not a regular file",
    ]);
  });
});

it("a file is opened for reading through a link, and a FIFO is refused without waiting", () => {
  fs.symlinkSync(file("one", "1"), join(root, "link"));
  execFileSync("mkfifo", [join(root, "fifo")]);
  const fd = openToRead(join(root, "link"));
  expect(fs.readFileSync(fd, "utf8")).toBe("1");
  fs.closeSync(fd);
  expect(() => openToRead(join(root, "fifo"))).toThrow("it is not a file");
});
