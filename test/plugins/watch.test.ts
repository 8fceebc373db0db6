import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { watchFolders } from "../../plugins/watch/folders.ts";

/** Watches a folder; `news` resolves with the next changed paths, relative to it. */
function watching(...paths: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorel-watch-")));
  const told: string[][] = [];
  let wake = () => {};
  const watched = watchFolders({
    changed: (files) => {
      told.push(files.map((file) => file.slice(root.length + 1)).sort());
      wake();
    },
    failed: (thrown) => {
      throw thrown;
    },
  });
  watched.look(paths.map((path) => join(root, path)));
  return {
    root,
    write(path: string, text = "") {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    news: async () => {
      while (told.length === 0) await new Promise<void>((done) => (wake = done));
      return told.shift();
    },
    look: (...others: string[]) => watched.look(others.map((path) => join(root, path))),
    [Symbol.dispose]() {
      watched.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const NOBODY = 65_534;

/** Runs `work` as a user who owns nothing, if this process may become one. */
function asNobody(work: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("watched files", () => {
  it("are reported once when several change together: new, changed, renamed and deleted", async () => {
    using at = watching("own");
    for (const name of ["a", "b", "c", "deep/d", "deep/e"]) at.write(`own/${name}`);
    expect(await at.news()).toEqual(["own/a", "own/b", "own/c", "own/deep/d", "own/deep/e"]);
    at.write("own/a", "changed");
    at.write("own/deep/new/f");
    rmSync(join(at.root, "own/b"));
    renameSync(join(at.root, "own/c"), join(at.root, "own/g"));
    expect(await at.news()).toEqual(["own/a", "own/b", "own/c", "own/deep/new/f", "own/g"]);
    rmSync(join(at.root, "own"), { recursive: true });
    expect(await at.news()).toEqual(["own/a", "own/deep/d", "own/deep/e", "own/deep/new/f", "own/g"]);
    at.write("own/again");
    expect(await at.news()).toEqual(["own/again"]);
  });

  it("are still watched in a folder that replaced another one", async () => {
    using at = watching("own");
    at.write("own/a", "one");
    expect(await at.news()).toEqual(["own/a"]);
    at.write("aside/a", "two");
    renameSync(join(at.root, "own"), join(at.root, "before"));
    renameSync(join(at.root, "aside"), join(at.root, "own"));
    expect(await at.news()).toEqual(["own/a"]);
    at.write("own/b");
    expect(await at.news()).toEqual(["own/b"]);
  });

  it("may be single files, in a folder that does not exist yet, or behind a link", async () => {
    using at = watching("one.toml", "not/there/yet.toml", "linked.toml");
    at.write("elsewhere/real.toml");
    symlinkSync(join(at.root, "elsewhere/real.toml"), join(at.root, "linked.toml"));
    expect(await at.news()).toEqual(["linked.toml"]);
    at.write("other.toml");
    at.write("elsewhere/real.toml", "changed");
    expect(await at.news()).toEqual(["linked.toml"]);
    at.write("not/there/yet.toml");
    expect(await at.news()).toEqual(["not/there/yet.toml"]);
  });

  it("do not include what cannot be read: links in a circle or to a long name, and folders of other users", async () => {
    using at = watching();
    at.write("own/mine.ts");
    at.write("own/theirs/data");
    at.write("listed/by-nobody.ts");
    symlinkSync("circle", join(at.root, "own/circle"));
    symlinkSync("x".repeat(300), join(at.root, "own/long"));
    symlinkSync(join(at.root, "listed/by-nobody.ts"), join(at.root, "own/link.ts"));
    for (const folder of ["", "own"]) chmodSync(join(at.root, folder), 0o777);
    chmodSync(join(at.root, "own/theirs"), 0);
    chmodSync(join(at.root, "listed"), 0o311);
    asNobody(() => at.look("own"));
    chmodSync(join(at.root, "listed"), 0o755);
    chmodSync(join(at.root, "own/theirs"), 0o755);
    rmSync(join(at.root, "own/theirs"), { recursive: true });
    at.write("own/mine.ts", "changed");
    expect(await at.news()).toEqual(["own/mine.ts"]);
  });

  it("exclude hidden and installed files", async () => {
    using at = watching("own");
    for (const name of [".git/HEAD", "node_modules/zod/index.js", ".draft.ts", "mine.ts"]) at.write(`own/${name}`);
    expect(await at.news()).toEqual(["own/mine.ts"]);
  });

  it("are reported from the time when they are added", async () => {
    using at = watching("one");
    at.write("two/old");
    at.look("one", "two");
    at.write("two/new");
    expect(await at.news()).toEqual(["two/new"]);
    at.look("one");
    at.write("two/old", "changed");
    at.write("one/last");
    expect(await at.news()).toEqual(["one/last"]);
  });
});
