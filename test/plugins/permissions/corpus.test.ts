import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempts, generous } from "./attempts.ts";
import { type Post, post } from "./setup.ts";

let guard: Post;
beforeAll(async () => {
  guard = await project();
});
afterAll(() => guard[Symbol.asyncDispose]());

/** A project with a file, a link that leads out of it, and a guard. */
async function project(config: object = {}): Promise<Post> {
  const t = await post({ allow: generous, ...config });
  t.file("src/a", "text\n");
  t.link("src/out", "/etc");
  return t;
}

describe("the guard refuses", () => {
  it.each(attempts)("%s", async (_what, command) => {
    expect(await guard.bash(command)).toMatch(/^Denied: /);
  });

  it.each(["ask", "edits", "plan"])("all of these commands in mode %s", async (mode) => {
    await using t = await project({ mode });
    for (const [what, command] of attempts)
      expect([what, (await t.bash(command)).split(":")[0]]).toEqual([what, "Denied"]);
  });

  it("to run any of these before a person has answered", async () => {
    await using t = await project({ mode: "ask" });
    await t.request("attend_requests", {});
    for (const [what, command] of attempts) {
      const outcome = t.bash(command);
      const { requestId, data } = await t.question();
      expect([what, data]).toMatchObject([what, { tool: "Bash", args: { command } }]);
      await t.request("answer_request", { requestId, answer: "n" });
      expect([what, await outcome]).toEqual([what, expect.stringContaining("the user said no")]);
    }
  });

  it("every way to run a denied command, also in mode full", async () => {
    await using t = await project({ mode: "full", allow: ["Bash"], deny: ["Bash(rm *)"] });
    const removing = attempts.filter(([, command]) => /\brm -rf/.test(command));
    const allowed = [];
    for (const [what, command] of removing) if ((await t.bash(command)) === "runs") allowed.push([what, command]);
    expect(allowed).toEqual([]);
    expect(removing.length).toBeGreaterThan(100);
  });

  it("commands that are too long or too deeply nested, without taking longer", async () => {
    const wild = ["Bash(a*b*c*d*e*f)", "Bash(git *a*a*a*a*a*b)"];
    await using t = await project({ allow: wild, deny: ["Bash(*x*y*z*w)", "Edit(**/a*a*a/**/b/**)"] });
    const deep = ["echo $(", "(", 'echo "$(', "f() {", "{a,", "sh -c '", "if a; then "].map((it) => it.repeat(1_000));
    const long = ["git a", "xargs 'xy ", "echo a;", "sudo a ", "echo > b ", "abcde"].map(
      (it) => it + it.slice(-3).repeat(3_000),
    );
    for (const command of [...deep, ...long, "echo a ".repeat(1e6)])
      expect([command.slice(0, 20), (await t.bash(command)).split(":")[0]]).toEqual([command.slice(0, 20), "Denied"]);
    expect(await t.judge("Write", { file_path: "a/".repeat(2_000), content: "" })).not.toBe("runs");
  }, 60_000);

  it("git in a folder that imitates a repository", async () => {
    await using t = await project();
    expect(await t.bash("git status")).toBe("runs");
    for (const name of ["HEAD", "config", "objects/x", "refs/x"]) t.file(name, "");
    expect([await t.bash("git status"), await t.bash("timeout 5 git log -1")]).toEqual(
      Array(2).fill(
        expect.stringMatching(
          /^Denied: it contains git in a folder that looks like a git folder, so it needs approval each time/,
        ),
      ),
    );
    t.file(".git/HEAD", "");
    expect(await t.bash("git status")).toBe("runs");
  });

  it("a command in another directory", async () => {
    expect(await guard.judge("Bash", { command: "git status", cwd: "/tmp" })).toMatch(
      /^Denied: `cd \/tmp` needs approval/,
    );
  });

  it("a tool name in another case", async () => {
    expect(await guard.judge("bash", { command: "git status" })).toMatch(/^Denied: /);
  });

  it("a file behind a link, and a path that only looks as if it were inside a writable folder", async () => {
    for (const file_path of ["src/out/x", "src/../../x", "/etc/x"])
      expect(await guard.judge("Write", { file_path, content: "" })).toMatch(/ is outside of the project /);
  });
});

describe("the guard lets run", () => {
  const allowed = [
    ...["git status", "git status -s", "git log -5 --oneline", "'git' \"status\"", "git diff HEAD", "git add src/a"],
    ...[
      "git commit -m 'a message; with $signs'",
      "npm test",
      "npm test -- --reporter=dot",
      "npm run build && git status",
    ],
    ...["git log -3 2>&1 | head -n 2", "git status > /dev/null", "(git status; git log -1)", "git status &"],
    ...[
      "if git status; then git log -1; fi",
      "timeout 60 npm test",
      "bash -c 'git status && npm test'",
      "nice -n 5 npm test",
    ],
    ...[
      "ls -la",
      "cat src/a",
      "cat src/a | grep -n text | wc -l",
      "head -5 src/a",
      "find . -name '*.ts' -type f",
      "pwd",
    ],
    ...[
      "sed -n 1,5p src/a",
      "sed s/a/b/g src/a",
      "awk '{ print $1 }' src/a",
      "make -j4 test",
      "node src/a.js --port 3",
    ],
    ...[
      "git commit -F - <<'EOF'\nA message\nEOF",
      "echo done",
      "git log < src/a",
      `git commit -m '${"long ".repeat(100)}'`,
    ],
  ];
  it.each(allowed)("%s", async (command) => {
    expect(await guard.bash(command)).toBe("runs");
  });
});
