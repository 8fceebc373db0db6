import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
  const first = commit("one");
  git("tag", "v1");
  return { first, second: commit("two"), commit };
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

  it.each([
    "git+https://host.example/owner/repo",
    "git+https://host.example/owner/repo.git@v1.2",
    "git+http://127.0.0.1:8000/repo",
  ])("may be written %s", (text) => {
    expect(repositoryIn(text)).toMatchObject({ name: "repo" });
  });

  it.each([
    "https://host.example/repo",
    "git+ssh://host.example/repo",
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
