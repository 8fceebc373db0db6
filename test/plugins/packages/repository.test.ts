import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryIn } from "../../../plugins/packages/sources/repository-names.ts";
import { startGitServer } from "./git-server.ts";
import { type Shop, shop } from "./shop.ts";

/** A repository of an extension with two commits, the first one tagged. */
function repository(at: Shop) {
  const folder = at.extension("rules");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      cwd: folder,
      env: { ...process.env, HOME: at.home },
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  const commit = (text: string) => {
    at.file("rules/README.md", `${text}\n`);
    git("add", ".");
    git("commit", "--quiet", "--message", text);
    return git("rev-parse", "HEAD");
  };
  /** Commits these rows of `git update-index --index-info`. */
  const commitRows = (rows: readonly string[]) => {
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: folder,
      input: rows.map((row) => `${row}\n`).join(""),
    });
    git("commit", "--quiet", "--message", "rows");
  };
  const blob = (bytes: Buffer) =>
    execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: folder, input: bytes, encoding: "utf8" }).trim();
  const first = commit("one");
  git("tag", "v1");
  return { first, second: commit("two"), commit, commitRows, blob };
}

const readme = ({ home }: Shop) => readFileSync(join(home, ".scorel/packages/rules/README.md"), "utf8");
const source = async ({ extensions }: Shop) => (await extensions.list())[0]?.source;

describe("a repository on the web", () => {
  it("is installed at its newest commit, or at a tag, without its history", async () => {
    using at = shop();
    const { first, second } = repository(at);
    await using server = await startGitServer(at.cwd);
    const { code, said } = await at.plugin("add", [`${server.url}/rules`]);
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining(`Install "rules" ${second.slice(0, 12)} from ${server.url}/rules\n`),
    });
    expect(await source(at)).toEqual({ kind: "git+https", spec: `${server.url}/rules`, commit: second });
    expect(readdirSync(join(at.home, ".scorel/packages/rules")).sort()).toEqual(["README.md", "index.mjs"]);
    expect(await at.plugin("update", ["rules", `${server.url}/rules@v1`])).toMatchObject({ code: 0 });
    expect([await source(at), readme(at)]).toEqual([
      { kind: "git+https", spec: `${server.url}/rules@v1`, commit: first },
      "one\n",
    ]);
  });

  it("is asked only when the user updates it", async () => {
    using at = shop();
    const { commit } = repository(at);
    await using server = await startGitServer(at.cwd);
    await at.plugin("add", [`${server.url}/rules`]);
    const before = server.requests.length;
    commit("three");
    await at.extensions.list();
    expect([server.requests.length, readme(at)]).toEqual([before, "two\n"]);
    expect(await at.plugin("update", [])).toMatchObject({ code: 0 });
    expect(readme(at)).toBe("three\n");
  });

  const MiB = 1024 * 1024;
  it.each<[string, (of: ReturnType<typeof repository>) => string[], string, RegExp]>([
    [
      "a link out of it",
      ({ blob }) => [`120000 ${blob(Buffer.from("/etc/passwd"))}\tlink.js`],
      "ARCHIVE_ENTRY",
      /is a link/,
    ],
    ["a submodule", ({ first }) => [`160000 ${first}\tsub`], "ARCHIVE_ENTRY", /is a submodule/],
    [
      "more than 10000 files",
      ({ blob }) => {
        const empty = blob(Buffer.alloc(0));
        return Array.from({ length: 10_001 }, (_, at) => `100644 ${empty}\tmany/${at}.js`);
      },
      "ARCHIVE_LIMIT",
      /more than 10000 entries/,
    ],
    [
      "a file of more than 64 MiB",
      ({ blob }) => [`100644 ${blob(Buffer.alloc(64 * MiB + 1))}\tlarge.js`],
      "ARCHIVE_ENTRY",
      /is larger than 64 MiB/,
    ],
    [
      "more than 256 MiB in all",
      ({ blob }) => {
        const large = blob(Buffer.alloc(60 * MiB));
        return [1, 2, 3, 4, 5, 6].map((at) => `100644 ${large}\tlarge${at}.js`);
      },
      "ARCHIVE_LIMIT",
      /more than 256 MiB/,
    ],
  ])("is not installed with %s", async (_, rows, error, reason) => {
    using at = shop();
    const of = repository(at);
    of.commitRows(rows(of));
    await using server = await startGitServer(at.cwd);
    const { code, said } = await at.plugin("add", [`${server.url}/rules`]);
    expect([code, said]).toEqual([error, expect.stringMatching(reason)]);
    expect(readdirSync(join(at.home, ".scorel/packages/.staging"))).toEqual([]);
    expect(await at.extensions.list()).toEqual([]);
  });

  it("runs no hook, filter or template, not even one that the user has configured", async () => {
    using at = shop();
    const { commit } = repository(at);
    at.file("rules/.gitattributes", "* filter=mark\n");
    commit("three");
    const run = `touch ${join(at.home, "ran")}`;
    for (const hook of ["reference-transaction", "post-checkout", "post-merge", "post-index-change"])
      for (const folder of ["~/hooks", "~/template/hooks"])
        chmodSync(at.file(`${folder}/${hook}`, `#!/bin/sh\n${run}\n`), 0o755);
    const [hooks, template] = ["hooks", "template"].map((name) => join(at.home, name));
    at.file(
      "~/.gitconfig",
      `[core]\n\thooksPath = ${hooks}\n[init]\n\ttemplateDir = ${template}\n[filter "mark"]\n\tsmudge = ${run}\n\trequired = true\n`,
    );
    await using server = await startGitServer(at.cwd);
    expect(await at.plugin("add", [`${server.url}/rules`])).toMatchObject({ code: 0 });
    expect(existsSync(join(at.home, "ran"))).toBe(false);
  });

  it("is fetched by the user's ssh, also where a git configuration replaces https by ssh", async () => {
    const env: Record<string, string> = {};
    using at = shop(env);
    const { first, second } = repository(at);
    const said = join(at.home, "ssh-arguments");
    const ssh = at.file("~/bin/ssh", `#!/bin/sh\nfor last; do :; done\necho "$@" >> '${said}'\nexec sh -c "$last"\n`);
    chmodSync(ssh, 0o755);
    Object.assign(env, { PATH: `${dirname(ssh)}:${process.env.PATH}` });
    const spec = `git@git.example:${at.cwd}/rules`;
    expect(await at.plugin("add", [spec])).toEqual({
      code: 0,
      said: expect.stringContaining(`Install "rules" ${second.slice(0, 12)} from ${spec}\n`),
    });
    expect(await source(at)).toEqual({ kind: "git+ssh", spec, commit: second });
    expect(readFileSync(said, "utf8")).toContain(`git@git.example git-upload-pack '${at.cwd}/rules'\n`);
    at.file("~/.gitconfig", `[url "ssh://git@git.example${at.cwd}/"]\n\tinsteadOf = https://git.example/acme/\n`);
    const https = "git+https://git.example/acme/rules@v1";
    expect(await at.plugin("update", ["rules", https])).toMatchObject({ code: 0 });
    expect([await source(at), readme(at)]).toEqual([{ kind: "git+https", spec: https, commit: first }, "one\n"]);
  });

  it("that is not there installs nothing, and says so", async () => {
    using at = shop();
    await using server = await startGitServer(at.cwd);
    const { code, said } = await at.plugin("add", [`${server.url}/none`]);
    expect([code, said]).toEqual([
      "PACKAGES_FETCH",
      expect.stringMatching(/^git could not fetch git\+http:\S+none, .* not found\. If/),
    ]);
    expect(readdirSync(join(at.home, ".scorel/packages/.staging"))).toEqual([]);
    expect(existsSync(join(at.home, ".scorel/packages/none"))).toBe(false);
  });

  it("that ssh may not read installs nothing, and says why", async () => {
    const env: Record<string, string> = {};
    using at = shop(env);
    const banner = "Welcome to the servers of acme.";
    const ssh = at.file(
      "~/bin/ssh",
      `#!/bin/sh\necho '${banner}' >&2\necho 'git@git.example: Permission denied (publickey).' >&2\nexit 255\n`,
    );
    chmodSync(ssh, 0o755);
    Object.assign(env, { PATH: `${dirname(ssh)}:${process.env.PATH}` });
    const { code, said } = await at.plugin("add", ["git@git.example:acme/rules"]);
    expect([code, said]).toEqual([
      "PACKAGES_FETCH",
      expect.stringContaining("nothing was installed: git@git.example: Permission denied (publickey). To see what ssh"),
    ]);
  });

  it.each([
    "git+https://host.example/owner/repo",
    "git+https://host.example/owner/repo.git@v1.2",
    "git+http://127.0.0.1:8000/repo",
    "git@host.example:repo",
    "git@host.example:owner/repo.git@v1.2",
    "ann@host.example:~/repo/",
    "git@host.example:/srv/repo",
    "ssh://host.example/owner/repo",
    "git+ssh://git@host.example:2222/owner/repo.git@v1.2",
  ])("may be written %s", (text) => {
    expect(repositoryIn(text)).toMatchObject({ name: "repo" });
  });

  it.each([
    "https://host.example/repo",
    "ssh://git:word@host.example/repo",
    "ssh://-oProxyCommand=x/repo",
    "ssh://git@-oProxyCommand=x/repo",
    "ssh://host.example/",
    "ssh://host.example/repo@-x",
    "git@host.example:-repo",
    "git@-oProxyCommand=x:repo",
    "git@host.example:",
    "git+http://host.example/repo",
    "git+file:///etc",
    "git+https://user:word@host.example/repo",
    "git+https://host.example/repo?key=1",
    "git+https://host.example/repo#part",
    "git+https://host.example/repo@--upload-pack=x",
    "git+https://host.example/repo@a..b",
    "git+https://host.example/",
  ])("may not be written %s", async (text) => {
    using at = shop();
    expect(repositoryIn(text)).toBeUndefined();
    expect(await at.plugin("add", [text])).toMatchObject({ code: "PACKAGES_SOURCE" });
  });
});
