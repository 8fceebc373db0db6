import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { itWith } from "../../optional.ts";
import { type Shop, shop } from "./shop.ts";

/** A checkout with one commit of a small preset, and git to work in it. */
function checkout(at: Shop, files: Record<string, string> = {}) {
  const folder = at.preset("team", files);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      cwd: folder,
      env: { ...process.env, HOME: at.home },
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  git("add", "--force", ".");
  git("commit", "--quiet", "--message", "One");
  return { folder, git, commit: () => git("rev-parse", "HEAD") };
}

/** A program that creates a file when it runs. */
const planted = (at: Shop) => {
  const marker = join(at.home, "ran");
  const program = at.file("planted.sh", `#!/bin/sh\necho "$0" >> '${marker}'\ncat\n`);
  execFileSync("chmod", ["+x", program]);
  return { program, ran: () => (existsSync(marker) ? readFileSync(marker, "utf8") : "nothing") };
};

describe("a git checkout", () => {
  it("is installed in its committed state, with the commit in the lock file", async () => {
    using at = shop();
    const { folder, commit } = checkout(at, { "instructions/a.md": "committed" });
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
    expect(at.lock().team?.source).toEqual({ kind: "git", spec: folder, commit: commit() });
    expect(Object.keys(at.lock().team?.files ?? {})).toEqual([
      "extensions/guard.js",
      "instructions/a.md",
      "preset.toml",
    ]);
  });

  it("is installed without uncommitted changes, which is reported", async () => {
    using at = shop();
    checkout(at, { "instructions/a.md": "committed", "instructions/b.md": "kept", ".gitignore": "*.log" });
    at.file("team/instructions/a.md", "edited");
    at.file("team/extensions/new.js", "not added");
    at.file("team/debug.log", "ignored");
    rmSync(join(at.cwd, "team/instructions/b.md"));
    const { said } = await at.run("add", ["team"]);
    expect(said).toContain(
      "Uncommitted changes are left out: instructions/a.md, instructions/b.md, extensions/new.js\n",
    );
    expect([at.installed("team/instructions/a.md"), at.installed("team/instructions/b.md")]).toEqual([
      "committed",
      "kept",
    ]);
  });

  it("is up to date without its uncommitted changes, and cannot be installed without a committed preset.toml, which is reported", async () => {
    using at = shop();
    const { git } = checkout(at);
    await at.run("add", ["team"]);
    at.file("team/instructions/a.md", "not added");
    expect(await at.run("update", ["team"])).toEqual({
      code: 0,
      said: 'scorel: Uncommitted changes are left out: instructions/a.md\n"team" is up to date; nothing was changed.\n',
    });
    git("rm", "--quiet", "--cached", "preset.toml");
    git("commit", "--quiet", "--message", "Forget it");
    const { code, said } = await at.run("add", ["team"], { yes: true, name: "again" });
    expect([code, said.split("\n")[0]]).toEqual([
      "PRESET_NONE",
      "scorel: Uncommitted changes are left out: instructions/a.md, preset.toml",
    ]);
  });

  it("is updated to its next commit, after a diff", async () => {
    using at = shop();
    const { git, commit } = checkout(at, { "instructions/a.md": "one\n" });
    await at.run("add", ["team"]);
    at.file("team/instructions/a.md", "two\n");
    git("commit", "--quiet", "--all", "--message", "Two");
    const { said } = await at.run("update", ["team"]);
    expect(said).toContain("  changed  instructions/a.md\n    -one\n    +two\n");
    expect(at.lock().team?.source.commit).toBe(commit());
  });

  it("runs none of its configured programs: hooks, filters, fsmonitor, aliases, pagers, transports", async () => {
    using at = shop();
    const { git, folder } = checkout(at, { ".gitattributes": "*.md filter=evil diff=evil\n", "a.md": "words" });
    const { program, ran } = planted(at);
    at.file("team/a.md", "edited, so that git would look at it");
    at.file("team/new.md", "untracked");
    for (const name of ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
      writeFileSync(join(folder, ".git/hooks", name), `#!/bin/sh\nexec '${program}'\n`, { mode: 0o755 });
    }
    const settings = {
      "core.fsmonitor": program,
      "core.pager": program,
      "core.editor": program,
      "core.sshCommand": program,
      "filter.evil.clean": program,
      "filter.evil.smudge": program,
      "filter.evil.process": program,
      "filter.evil.required": "true",
      "diff.evil.textconv": program,
      "diff.external": program,
      "alias.ls-tree": `!${program}`,
      "alias.rev-parse": `!${program}`,
      "remote.origin.url": `ext::${program}`,
      "remote.origin.promisor": "true",
      "remote.origin.uploadpack": program,
      "extensions.partialClone": "origin",
      "protocol.ext.allow": "always",
    };
    git("config", "core.repositoryformatversion", "1");
    for (const [key, value] of Object.entries(settings)) git("config", key, value);
    // A partial clone would download a missing object.
    const blob = execFileSync("git", ["rev-parse", "HEAD:a.md"], { cwd: folder, encoding: "utf8" }).trim();
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
    rmSync(join(folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    expect((await at.run("add", ["team"], { yes: true, name: "again" })).code).toBe("PACKAGES_GIT");
    expect(ran()).toBe("nothing");
    // They are real: git itself runs them.
    spawnSync("git", ["add", "a.md"], { cwd: folder });
    expect(ran()).toContain("planted.sh");
  });

  it("is not replaced by another one through environment variables", async () => {
    using at = shop({
      GIT_DIR: "/nowhere",
      GIT_WORK_TREE: "/",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    });
    const { commit } = checkout(at);
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
    expect(at.lock().team?.source.commit).toBe(commit());
  });

  itWith("root", "of another user is refused by git, unless the user's own git settings allow it", async () => {
    using at = shop();
    const { folder } = checkout(at);
    execFileSync("chown", ["-R", "12345", folder]);
    const { code, said } = await at.run("add", ["team"]);
    expect([code, said.includes("dubious ownership")]).toEqual(["PACKAGES_GIT", true]);
    at.file("~/.gitconfig", `[safe]\n\tdirectory = ${folder}\n`);
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
  });

  it.each<[string, (at: Shop, of: ReturnType<typeof checkout>) => void, string]>([
    [
      "a committed link",
      (at, { git }) => {
        symlinkSync("/etc/passwd", join(at.cwd, "team/extensions/secret.js"));
        git("add", ".");
        git("commit", "--quiet", "--message", "Link");
      },
      "ARCHIVE_ENTRY",
    ],
    [
      "a submodule",
      (_, { git, commit }) => {
        git("update-index", "--add", "--cacheinfo", `160000,${commit()},sub`);
        git("commit", "--quiet", "--message", "Module");
      },
      "ARCHIVE_ENTRY",
    ],
    [
      "no commit yet",
      (_, { folder, git }) => {
        rmSync(join(folder, ".git"), { recursive: true });
        git("init", "--quiet");
      },
      "PACKAGES_GIT",
    ],
    [
      "a .git that is none",
      (at) => {
        rmSync(join(at.cwd, "team/.git"), { recursive: true });
        at.file("team/.git", "gitdir: /nowhere\n");
      },
      "PACKAGES_GIT",
    ],
  ])("is refused with %s", async (_, spoil, error) => {
    using at = shop();
    spoil(at, checkout(at));
    expect(await at.run("add", ["team"])).toMatchObject({ code: error });
    expect(await at.store.list()).toEqual([]);
  });
});
