import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

async function shop(replies: Reply[]) {
  const s = scratch({ inProcess: true });
  const server = await startModelServer(replies);
  s.useModel(server.baseUrlFor("openai-completions"));
  const git = (...args: string[]) => execFileSync("git", ["-C", s.project, ...args], { encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  s.file("a.txt", "one\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  const tree = (name: string) => join(s.project, ".scorel-worktrees", name);
  return {
    ...{ s, server, git, tree },
    async [Symbol.asyncDispose]() {
      s[Symbol.dispose]();
      await server.close();
    },
  };
}

const write = toolCall("Write", { file_path: "b.txt", content: "two\n" });

it("a session works in a worktree, which is listed, merged and removed", async () => {
  await using t = await shop([[write], [text("Written.")], [text("Still here.")], [text("More.")]]);
  const { s, git, tree } = t;
  const first = await s.run(["-p", "Write b.txt.", "--worktree", "login"]);
  expect([
    first.code,
    first.stdout,
    existsSync(join(s.project, "b.txt")),
    existsSync(join(tree("login"), "b.txt")),
  ]).toEqual([0, "Written.\n", false, true]);
  expect(first.stderr).toContain(`New worktree login (branch scorel/login): ${tree("login")}`);
  expect(first.stderr).toContain(
    "The worktree login has 1 file not committed. To bring its work back: scorel worktree merge login --commit\n",
  );
  expect([git("status", "--porcelain"), readdirSync(tree(".")).sort()]).toEqual(["", [".gitignore", "login"]]);
  const again = await s.run(["-p", "And?", "-w", "login", "--continue"]);
  expect([again.code, again.stdout, again.stderr.includes("New worktree")]).toEqual([0, "Still here.\n", false]);
  const listed = JSON.parse((await s.run(["worktree", "list", "--json"])).stdout);
  expect(listed.worktrees).toMatchObject([{ name: "login", commits: 0, changes: 1 }]);
  expect(await s.run(["worktree", "merge", "login"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("1 file with changes that are not committed"),
  });
  expect((await s.run(["worktree", "merge", "login", "--commit"])).code).toBe(0);
  expect([existsSync(join(s.project, "b.txt")), existsSync(tree("login"))]).toEqual([true, false]);
  // The command in the error must work as printed.
  const [{ sessionId }] = JSON.parse((await s.run(["session", "list", "--json", "--all"])).stdout);
  const { stderr } = await s.run(["-p", "More.", "--session", sessionId]);
  const [, move = ""] = /To continue in its project: `scorel (.+)`/.exec(stderr) ?? [];
  expect((await s.run(move.split(" "))).code).toBe(0);
  expect(await s.run(["-p", "More.", "--session", sessionId])).toMatchObject({ code: 0, stdout: "More.\n" });
});

it("a session in a subfolder of a merged worktree continues in that subfolder of the project", async () => {
  await using t = await shop([
    [toolCall("Write", { file_path: "c.txt", content: "" })],
    [text("Written.")],
    [text("More.")],
  ]);
  const { s, git } = t;
  s.file("pkg/api/b.txt", "");
  git("add", "--all");
  git("commit", "--quiet", "--message=Add pkg");
  const inside = ["--cwd", "pkg/api"];
  const { stdout } = await s.run(["-p", "Write c.txt.", "-w", "login", ...inside, "--output", "json"]);
  const { sessionId } = JSON.parse(stdout) as { sessionId: string };
  expect((await s.run(["worktree", "merge", "login", "--commit"])).code).toBe(0);
  const { stderr } = await s.run(["-p", "More.", "--session", sessionId]);
  const [, move = ""] = /To continue in its project: `scorel (.+)`/.exec(stderr) ?? [];
  expect((await s.run(move.split(" "))).code).toBe(0);
  const more = await s.run(["-p", "More.", "--session", sessionId, "--output", "json"]);
  const [listed] = JSON.parse((await s.run(["session", "list", "--json", "--all"])).stdout);
  expect([more.code, listed]).toMatchObject([0, { sessionId, cwd: join(s.project, "pkg/api") }]);
});

it("a worktree is merged while a host keeps a session open that nobody uses any more", async () => {
  await using t = await shop([[write], [text("Written.")]]);
  const { s, tree } = t;
  expect((await s.run(["host", "serve"])).code).toBe(0);
  try {
    expect((await s.run(["-p", "Write b.txt.", "-w", "login", "--yes"])).code).toBe(0);
    expect((await s.run(["host", "status"])).stdout).toContain("sessions: 1 open");
    expect(await s.run(["worktree", "merge", "login", "--commit"])).toMatchObject({ code: 0, stderr: "" });
    expect([existsSync(join(s.project, "b.txt")), existsSync(tree("login"))]).toEqual([true, false]);
  } finally {
    await s.run(["host", "stop"]);
  }
});

it("says what is wrong outside of git, and with a session that has its own folder", async () => {
  using s = scratch({ inProcess: true });
  s.useModel("http://127.0.0.1:9/v1");
  for (const args of [
    ["-p", "x", "--worktree"],
    ["worktree", "list"],
  ])
    expect(await s.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("is not in a git repository") });
  expect(await s.run(["worktree", "ls"])).toMatchObject({ code: 2, stderr: expect.stringContaining("worktree list") });
  expect(await s.run(["-p", "x", "--session", "abcd", "-w", "y"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--session"),
  });
});

it("--continue makes no worktree, since a new worktree has no session to continue", async () => {
  await using t = await shop([]);
  expect(await t.s.run(["-p", "x", "--worktree", "login", "--continue"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--continue needs a worktree that exists"),
  });
  expect(existsSync(t.tree("login"))).toBe(false);
});

it("a worktree uses what is trusted of its project without a second question, and nothing before that", async () => {
  await using t = await shop([[text("Hello.")], [text("Hello.")], [text("Hello.")]]);
  const { s } = t;
  s.file(".scorel/instructions.md", "Say hello.\n");
  const asked = () => JSON.stringify(t.server.requests.at(-1)?.body);
  const untrusted = await s.run(["-p", "Hi.", "-w", "one"]);
  expect([untrusted.code, untrusted.stderr.includes("is not trusted"), asked().includes("Say hello.")]).toEqual([
    0,
    true,
    false,
  ]);
  await s.run(["trust", "add", "--yes"]);
  const trusted = await s.run(["-p", "Hi.", "-w", "one"]);
  expect([trusted.code, trusted.stderr.includes("trust"), asked().includes("Say hello.")]).toEqual([0, false, true]);
  s.file(".scorel-worktrees/one/.scorel/instructions.md", "Say something else.\n");
  await s.run(["-p", "Hi.", "-w", "one"]);
  expect([asked().includes("Say hello."), asked().includes("Say something else.")]).toEqual([true, false]);
});

describeWith("script", "the terminal", () => {
  it.each([
    ["in the application", true],
    ["line by line", false],
  ])("opens a worktree %s", async (_, full) => {
    await using t = await shop([[write], [text("Written.")]]);
    await using shown = terminal(t.s, ["--worktree", "login", "--yes", "Write b.txt."], { full });
    await shown.shows("Written.");
    expect(existsSync(join(t.tree("login"), "b.txt"))).toBe(true);
  });

  it("keeps a worktree in which the application is open, also if nothing was said there yet", async () => {
    await using t = await shop([]);
    const remove = () => t.s.run(["worktree", "remove", "login"]);
    {
      await using shown = terminal(t.s, ["--worktree", "login"], { full: true });
      await shown.shows("login");
      await expect.poll(() => existsSync(t.tree("login"))).toBe(true);
      await expect.poll(async () => (await remove()).stderr).toContain("was started with --worktree login");
    }
    await expect.poll(remove).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(t.tree("."))).toEqual([".gitignore"]);
  });
});
