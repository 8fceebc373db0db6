import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sandbox from "@scorel/sandbox";
import tools from "@scorel/tools";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../eventually.ts";
import { describeWith } from "../optional.ts";
import { textOf, type Workshop, workshop } from "../plugins/coding/workshop.ts";
import { startedProcesses } from "../processes.ts";

const started = startedProcesses();

/** A project whose commands run in the sandbox. */
const confined = (bash: object = { sandbox: true }, executor?: string) => {
  const plugins = executor === undefined ? [sandbox] : [{ plugin: sandbox, config: { executor } }];
  return workshop({ tools: { plugin: tools, config: { bash } }, plugins });
};
const said = async (w: Workshop, command: string, more: object = {}) =>
  textOf(await w.call("Bash", { command, ...more }));

describeWith("bubblewrap", "commands in the sandbox", () => {
  it("can write to the project, and nowhere else", async () => {
    await using w = await confined();
    writeFileSync(`${w.home}/notes`, "private");
    const attempts = `echo 1 > in; cat ${w.home}/notes; echo 1 > ${w.home}/out; echo 1 > /usr/out; exit 7`;
    expect(await said(w, attempts)).toContain("No such file or directory");
    expect([readFileSync(w.path("in"), "utf8"), readdirSync(w.home).filter((name) => name !== ".scorel")]).toEqual([
      "1\n",
      ["notes"],
    ]);
    expect(await said(w, "exit 7")).toBe("[exit code 7]");
  });

  it("cannot read the host's tokens or reach its sockets, even if home is the project", async () => {
    await using w = await confined();
    const before = process.env.HOME;
    onTestFinished(() => {
      process.env.HOME = before;
    });
    process.env.HOME = w.dir;
    for (const name of ["host/owner.token", "run/host.sock", "sessions/a.jsonl"]) w.file(`.scorel/${name}`, "canary");
    w.file("in", "text");
    const attempts =
      "ls -A .scorel; grep -rs canary . /proc/self/root/$PWD; mv .scorel x; touch .scorel/x; umount .scorel; cat in";
    const output = await said(w, attempts);
    expect(output).toContain("text");
    expect(output).not.toMatch(/canary|owner|sessions/);
    expect(w.text(".scorel/host/owner.token")).toBe("canary");
    expect(existsSync(w.path(".scorel/x"))).toBe(false);
    expect(await said(w, "cat owner.token", { cwd: ".scorel/host" })).not.toContain("canary");
  });

  it("cannot create or change files that steer git or the agent, and leave no trace of the attempt", async () => {
    await using w = await confined();
    execFileSync("git", ["init", "-q", w.dir]);
    const config = w.text(".git/config");
    const attempts = [
      "mkdir -p .scorel/extensions && echo x > .scorel/extensions/evil.ts",
      "mv .git/hooks .git/old-hooks",
      "echo x > .git/hooks/pre-commit",
      "echo x >> .git/config",
      "git config core.hooksPath /tmp",
      "rm -rf .scorel .git/hooks",
      "ln -sfn /tmp .scorel",
      "mv .git old && cp -r old .git && echo x > .git/hooks/pre-commit",
      "echo ../evil > .git/commondir",
      "rm .git/commondir",
      "echo x > .mcp.json",
      "rmdir .mcp.json; mv a.json .mcp.json",
    ];
    for (const attempt of attempts) expect(await said(w, attempt)).not.toContain("exit code 0");
    expect(w.text(".git/config")).toBe(config);
    const created = [".scorel", ".mcp.json", ".git/hooks/pre-commit", ".git/commondir", "old"];
    expect(created.filter((path) => existsSync(w.path(path)))).toEqual([]);
    w.file(".mcp.json", "{}");
    expect(await said(w, "echo x > .mcp.json || rm .mcp.json")).not.toContain("exit code 0");
    expect(w.text(".mcp.json")).toBe("{}");
    expect(await said(w, "touch a && git add a && git -c user.name=a -c user.email=b commit -qm a && echo done")).toBe(
      "done\n[exit code 0]",
    );
  });

  it("that run at the same time keep placeholders of missing files until the last one has ended", async () => {
    await using w = await confined();
    const slow = said(w, "until test -e go; do sleep 0.05; done; mkdir -p .scorel/extensions && echo escaped");
    await eventually(() => expect(existsSync(w.path(".scorel"))).toBe(true));
    await said(w, "true");
    writeFileSync(w.path("go"), "");
    expect([await slow, existsSync(w.path(".scorel"))]).toEqual([expect.not.stringContaining("escaped"), false]);
  });

  it("can commit in a worktree whose repository is elsewhere, but not steer git there", async () => {
    await using w = await confined();
    const main = `${w.home}/main`;
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=b", ...args], { encoding: "utf8" });
    execFileSync("git", ["init", "-q", main]);
    git(main, "commit", "-q", "--allow-empty", "-m", "first");
    writeFileSync(`${main}/private`, "private");
    rmSync(w.dir, { recursive: true });
    git(main, "worktree", "add", "-q", w.dir);
    const commit = "touch a && git add a && git -c user.name=a -c user.email=b commit -qm second && git status --short";
    expect(await said(w, commit)).toBe("[exit code 0]");
    expect(git(w.dir, "log", "--format=%s")).toBe("second\nfirst\n");
    const before = [readFileSync(`${main}/.git/config`, "utf8"), w.text(".git")];
    const [own] = readdirSync(`${main}/.git/worktrees`);
    const attempts = [
      "git config core.fsmonitor /tmp/evil",
      `echo x > ${main}/.git/hooks/pre-commit`,
      `echo ../evil > ${main}/.git/commondir`,
      `echo ../evil > ${main}/.git/worktrees/${own}/commondir`,
      `mv ${main}/.git/worktrees/${own} ${main}/.git/worktrees/x`,
      "echo gitdir: evil > .git",
      "mv .git old",
      `cat ${main}/private`,
    ];
    for (const attempt of attempts) expect(await said(w, attempt)).not.toContain("exit code 0");
    expect([readFileSync(`${main}/.git/config`, "utf8"), w.text(".git")]).toEqual(before);
    expect(readdirSync(`${main}/.git/hooks`)).not.toContain("pre-commit");
  });

  it("can commit to a repository in the project that its .git file names, but not steer git there", async () => {
    await using w = await confined();
    mkdirSync(w.path("git"));
    execFileSync("git", ["init", "-q", `--separate-git-dir=${w.dir}/git/own`, w.dir]);
    const commit = "touch a && git add a && git -c user.name=a -c user.email=b commit -qm a && echo done";
    expect(await said(w, commit)).toBe("done\n[exit code 0]");
    const before = [w.text(".git"), w.text("git/own/config")];
    const attempts = [
      "echo x > git/own/hooks/pre-commit",
      "mv git/own/hooks git/own/old-hooks",
      "git config core.hooksPath /tmp",
      "echo ../evil > git/own/commondir",
      "mv git old && cp -r old git && echo x > git/own/hooks/pre-commit",
      "mv git/own old && cp -r old git/own && echo x > git/own/hooks/pre-commit",
      // The last one may have removed whatever makes the folder a repository.
      "mkdir -p git/own/hooks && echo x > git/own/hooks/pre-commit",
      "echo 'gitdir: evil' > .git",
    ];
    for (const attempt of attempts) expect(await said(w, attempt)).not.toContain("exit code 0");
    const created = ["git/own/hooks/pre-commit", "git/own/commondir"].filter((path) => existsSync(w.path(path)));
    expect([w.text(".git"), w.text("git/own/config"), created]).toEqual([...before, []]);
  });

  it("do not run where .git is a link, since they could replace it", async () => {
    await using w = await confined();
    execFileSync("git", ["init", "-q", `--separate-git-dir=${w.dir}/.bare`, w.dir]);
    rmSync(w.path(".git"));
    symlinkSync(".bare", w.path(".git"));
    expect(await said(w, "rm .git")).toContain("cannot be protected from sandboxed commands: .git is a link");
    expect(existsSync(w.path(".git"))).toBe(true);
  });

  it("reach no folder that only claims to be a worktree's repository", async () => {
    await using w = await confined();
    const elsewhere = `${w.home}/elsewhere`;
    for (const folder of ["objects", "refs", "worktrees/x"]) mkdirSync(`${elsewhere}/${folder}`, { recursive: true });
    writeFileSync(`${elsewhere}/worktrees/x/commondir`, "../..");
    writeFileSync(`${elsewhere}/worktrees/x/gitdir`, "/somewhere/else/.git");
    writeFileSync(w.path(".git"), `gitdir: ${elsewhere}/worktrees/x\n`);
    expect(await said(w, `ls ${elsewhere}`)).toContain("No such file");
  });

  it("have the network only if it is allowed", async () => {
    const server = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && grep hello <&3`;
    await using shut = await confined();
    expect(await said(shut, ask)).not.toContain("hello\n");
    await using open = await confined({ sandbox: true, network: true });
    expect(await said(open, ask)).toContain("hello\n[exit code 0]");
  });

  it("end with everything that they started, also in the background", async () => {
    await using w = await confined();
    expect(await said(w, "sleep 3071.5 & sleep 3071.5", { timeout: 0.5 })).toContain("timed out after 0.5 s");
    const id = /background as (\w+)/.exec(await said(w, "echo up; sleep 3071.5", { background: true }))?.[1];
    expect(textOf(await w.call("Bash", { stop: id }))).toContain("stopped, including its child processes");
    const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes("3071.5"));
    for (const pid of left) started.add(Number(pid));
    expect(left).toEqual([]);
  });

  it("have their own home and temporary folder, and no keys", async () => {
    await using w = await confined();
    expect(await said(w, "cd && pwd && echo $TMPDIR && touch ~/made && env | grep -c API_KEY")).toBe(
      "/tmp\n/tmp\n0\n[exit code 1]",
    );
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // It has ended.
  }
}
