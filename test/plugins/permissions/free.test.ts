import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, env, stdio: "pipe" }).toString();

/** A git project with some files and no allow rules. */
async function project(config: object = { mode: "ask" }): Promise<Post> {
  const t = await post(config);
  git(t.dir, "init", "-q");
  t.file("src/a.js", "a\n");
  t.file("src/b.js", "b\n");
  t.file("deep/down/c.txt", "c\n");
  git(t.dir, "add", ".");
  git(t.dir, "commit", "-qm", "a");
  return t;
}

async function judged(t: Post, commands: readonly string[]): Promise<Record<string, string | undefined>> {
  const outcomes: Record<string, string | undefined> = {};
  for (const command of commands) outcomes[command] = (await t.bash(command)).split(":")[0];
  return outcomes;
}
const all = (commands: readonly string[], outcome: string) =>
  Object.fromEntries(commands.map((command) => [command, outcome]));

const READING = [
  ...["git status", "git status --short", "git --no-pager log --oneline -5", "git diff", "git diff HEAD~1 -- src/a.js"],
  ...[
    "git log -p src",
    "git log main..dev",
    "git show HEAD:src/a.js",
    "git show --stat",
    "git branch",
    "git branch -a",
  ],
  ...[
    "git blame src/a.js",
    "git ls-files",
    "git rev-parse HEAD",
    "git tag",
    "git tag -l",
    "git remote -v",
    "git stash list",
  ],
  ...["git grep -n a", "git describe --always", "git diff --cached | head -5", "cd src && git diff a.js"],
  ...["rg a", "rg -n a src", "rg --files src", "rg -e a -g '*.js'", "sed -n 1,3p src/a.js", "sed 's/a/b/' src/a.js"],
  ...[
    "sed 's/[^,]*$//' src/a.js",
    "sed -n '/[]a]/,/^[[:space:]]*[^]\\/]/p' src/a.js",
    "sed 's/\\[a/[/; y/[/(/' src/a.js",
  ],
  ...["ls src/*.js", "cat src/*.js", "wc -l */*.js", "head -1 src/?.js", "cd src && ls", "cd src && cat a.js; ls"],
  ...["cd deep && cd down && cat c.txt", "(cd src; wc -l *.js)"],
  ...[
    "date",
    "date +%s",
    "date -u +%F",
    "which node",
    "type ls",
    "stat src/a.js",
    "stat -c %s src/a.js",
    "file src/a.js",
  ],
  ...[
    "du -sh src",
    "du -h -d 1",
    "printf '%s\\n' a",
    "nl src/a.js",
    "tac src/a.js",
    "node --version",
    "python3 --version",
  ],
  ...["git --version", "realpath src", "readlink -f src/a.js", "sha256sum src/a.js", "cksum src/a.js"],
];

const ACTING = [
  ...[
    "rg --pre ./x a",
    "rg --pre=./x a",
    "rg -z a",
    "rg --hostname-bin=./x a",
    "rg -L a",
    "rg --follow a",
    "rg a /etc",
  ],
  ...[
    "rg -e a /etc",
    "rg -f /etc/passwd",
    "rg --files /etc",
    "sed -n 'w x' src/a.js",
    "sed 1e src/a.js",
    "sed -i s/a/b/ src/a.js",
  ],
  ...[
    "sed -ni p src/a.js",
    "sed s/a/id/e src/a.js",
    "sed 'r /etc/passwd' src/a.js",
    "sed p /etc/passwd",
    "sed -f x src/a.js",
  ],
  ...[
    "sed p -- src/a.js",
    "sed '/[/p;#]/e touch x' src/a.js",
    "sed '1,/[/p;#]/e touch x' src/a.js",
    "sed '/[]/p;#]/e touch x' src/a.js",
    "sed '/[^]/p;#]/e touch x' src/a.js",
    "sed '/[[:alpha:]/p;#]/e touch x' src/a.js",
    "sed '/[\\[:alpha:]/p;#]/e touch x' src/a.js",
    "sed '\\%[%p;#]%e touch x' src/a.js",
    "sed 's/[/]/#/w x' src/a.js",
    "sed 's/[/]/#/e' src/a.js",
    "sed --in-place p src/a.js",
    "date -s 1",
    "date --set=1",
    "date 01010101",
    "date +%s 01010101",
  ],
  ...["date -f /etc/passwd", "date -r /etc/passwd", "file -C", "file -m x a", "file -f x", "file -z a", "stat /root/x"],
  ...[
    "printf -v x a",
    "printf %n 'a[$(id)]'",
    "printf '%-5n' x",
    "printf %d 'a[$(id)]'",
    "du -L src",
    "ls -RL src",
    "du --files0-from=src/a.js",
    "du -X x",
  ],
  ...[
    "wc --files0-from=src/a.js",
    "nl /etc/passwd",
    "md5sum -c src/a.js",
    "node --version x",
    "node -v -e 1",
    "python3 -c 1",
  ],
  ...[
    "find . -exec id ';'",
    "find . -delete",
    "find . -fprint x",
    "cat /etc/*",
    "cat ../*",
    "cat src/../../*",
    "cat ~/*",
  ],
  ...[
    "cat src/{a,b}.js",
    "cat src/[ab].js",
    "cat $X",
    "cat -- src/a.js",
    "cd / && ls",
    "cd .. && ls",
    "cd && ls",
    "cd - && ls",
  ],
  ...[
    "cd nowhere && ls",
    "cd src && cat ../../x",
    "cd $X && ls",
    "cd s* && ls",
    "pushd src && cat a.js",
    "cd -P src; cat a.js",
  ],
  ...[
    "git diff --ext-diff",
    "git diff --output=x",
    "git diff --outp=x",
    "git log --output x",
    "git diff --no-index a b",
  ],
  ...[
    "git diff /etc/passwd /etc/group",
    "git diff ../a ../b",
    "git diff --textconv",
    "git show --show-signature",
    "git log --format=%G?",
  ],
  ...[
    "git branch -D x",
    "git branch x",
    "git branch -m x",
    "git branch --edit-description",
    "git tag x",
    "git tag -d x",
  ],
  ...[
    "git tag -v x",
    "git tag --format=%(signature)",
    "git remote add x y",
    "git remote show x",
    "git remote -v update",
  ],
  ...[
    "git stash",
    "git stash list -p",
    "git grep -Ovim a",
    "git grep --open-files-in-pager=x a",
    "git -c a.b=c status",
  ],
  ...[
    "git -C src status",
    "git --git-dir=x status",
    "git -p log",
    "git cat-file --batch",
    "git cat-file --textconv HEAD:a",
  ],
  ...[
    "git blame --contents /etc/passwd src/a.js",
    "git log --show-sig",
    "git reflog expire --all",
    "git config --list",
  ],
  ...["git st", "git status > x", "GIT_EXTERNAL_DIFF=x git diff", "git status && rm x", "git worktree add x"],
];

describe("without a rule", () => {
  it.each([["ask"], ["edits"], ["plan"]])("commands that only read the project run in mode %s", async (mode) => {
    await using t = await project({ mode });
    expect(await judged(t, READING)).toEqual(all(READING, "runs"));
  });

  it("commands that write, run something or read elsewhere do not", async () => {
    await using t = await project();
    expect(await judged(t, ACTING)).toEqual(all(ACTING, "Denied"));
  });

  it("commands that follow links out of the project are not free", async () => {
    await using t = await project();
    t.link("src/out", "/etc");
    t.link("deep/down/top", t.dir);
    const commands = ["cat src/out/*", "cat src/*/passwd", "cd src/out && ls", "cat src/out/passwd"];
    // After the link to the project's own folder, `..` is the folder above the project.
    commands.push("cat deep/down/top/../secret", "cd deep/down/top && cat ../secret");
    expect(await judged(t, commands)).toEqual(all(commands, "Denied"));
  });

  it("a comparison of folders is free only without links that lead out of the project or to other folders", async () => {
    await using t = await project();
    t.file("linked/a", "a\n");
    t.link("linked/b", "a");
    expect(await judged(t, ["diff -r src linked", "diff src linked"])).toEqual(
      all(["diff -r src linked", "diff src linked"], "runs"),
    );
    const commands = ["diff -rN src linked", "diff -N linked src", "cd linked && diff -r . ../src", "diff src linked"];
    for (const target of ["/etc/passwd", "/etc", "../deep", "nowhere"]) {
      t.link("linked/c", target);
      expect([target, await judged(t, commands)]).toEqual([target, all(commands, "Denied")]);
      rmSync(join(t.dir, "linked/c"));
    }
  });

  it("names that look like options are not treated as files", async () => {
    await using t = await project();
    writeFileSync(join(t.dir, "--pre=x"), "");
    const commands = ["cat *", "rg a *", "cat ?-pre*"];
    expect(await judged(t, commands)).toEqual(all(commands, "Denied"));
    expect(await t.bash("cat ./*.js src/*.js")).toBe("runs");
  });

  it("a deny rule for reading applies to free commands", async () => {
    await using t = await project({ mode: "ask", deny: ["Read(src/b.js)"] });
    const commands = [
      "cat src/*.js",
      "cd src && cat b.js",
      "rg a",
      "git show HEAD:src/b.js",
      "sed p src/b.js",
      "nl src/b.js",
    ];
    expect(await judged(t, commands)).toEqual(all(commands, "Denied"));
    expect(await t.bash("cat src/a.js")).toBe("runs");
  });
});

it("a rule for the project's folder does not apply after `cd` without a rule for `cd`", async () => {
  const allow = ["Bash(./test.sh *)", "Bash(npm *)"];
  await using t = await post({ mode: "ask", allow });
  await using moving = await post({ mode: "ask", allow: [...allow, "Bash(cd *)"] });
  const commands = ["cd src && ./test.sh", "cd src && npm test", "cd src; ls && npm test"];
  for (const each of [t, moving]) each.file("src/test.sh");
  expect([await judged(t, commands), await judged(moving, commands)]).toEqual([
    all(commands, "Denied"),
    all(commands, "runs"),
  ]);
});

describe("git in the project's own repository", () => {
  const settings = [
    ...["[core]\n\tfsmonitor = x", "[core]\n\tpager = x", "[pager]\n\tlog = x", "[diff]\n\texternal = x"],
    ...[
      '[diff "d"]\n\ttextconv = x',
      '[diff "d"]\n\tcommand = x',
      '[filter "f"]\n\tclean = x',
      "[include]\n\tpath = x",
    ],
    ...[
      "[gpg]\n\tprogram = x",
      "[log]\n\tshowSignature = true",
      "[core]\n\tsshCommand = x",
      "[core]\n\talternateRefsCommand = x",
    ],
    ...[
      '[remote "o"]\n\tpromisor = true',
      '[includeIf "gitdir:/"]\n\tpath = x',
      "[core]\n\tattributesFile = x",
      "[merge\n",
    ],
  ];
  it.each(settings)("asks where %j is set", async (setting) => {
    await using t = await project();
    const config = join(t.dir, ".git/config");
    expect(await t.bash("git status")).toBe("runs");
    writeFileSync(config, `${t.read(config)}${setting}\n`);
    expect(await judged(t, ["git status", "git diff"])).toEqual(all(["git status", "git diff"], "Denied"));
  });

  it("is free with the settings that most repositories have", async () => {
    await using t = await project();
    const config = join(t.dir, ".git/config");
    const more =
      '[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[alias]\n\tst = status\n[core]\n\thooksPath = .husky\n[user]\n\tname = A\n';
    writeFileSync(config, t.read(config) + more);
    expect(await t.bash("git status")).toBe("runs");
    t.file(".husky/post-index-change", "#!/bin/sh\n");
    expect(await t.bash("git status")).toMatch(/^Denied/);
  });

  it("asks where git would show objects of another repository, too", async () => {
    await using t = await project();
    const info = join(t.dir, ".git/objects/info");
    mkdirSync(info, { recursive: true });
    expect(await t.bash("git status")).toBe("runs");
    writeFileSync(join(info, "alternates"), "/elsewhere/.git/objects\n");
    expect(await judged(t, ["git status", "git log"])).toEqual(all(["git status", "git log"], "Denied"));
    rmSync(join(info, "alternates"));
    rmSync(join(t.dir, ".git/objects/pack"), { recursive: true, force: true });
    symlinkSync("/elsewhere", join(t.dir, ".git/objects/pack"));
    expect(await judged(t, ["git log"])).toEqual(all(["git log"], "Denied"));
  });

  it("asks when there is a hook that runs on writing the index", async () => {
    await using t = await project();
    const hook = t.file(".git/hooks/post-index-change", `#!/bin/sh\ntouch ${join(t.dir, "mark")}\n`);
    chmodSync(hook, 0o755);
    writeFileSync(join(t.dir, "src/a.js"), "a\n");
    git(t.dir, "status");
    expect([existsSync(join(t.dir, "mark")), (await t.bash("git status")).split(":")[0]]).toEqual([true, "Denied"]);
  });

  it("is free in a worktree of a repository elsewhere, as long as both name each other and its settings are quiet", async () => {
    await using t = await post({ mode: "ask" });
    const source = join(t.dir, "../source");
    mkdirSync(source);
    git(source, "init", "-q");
    git(source, "commit", "-qm", "a", "--allow-empty");
    rmSync(t.dir, { recursive: true });
    git(source, "worktree", "add", "-q", t.dir);
    expect(await t.bash("git status")).toBe("runs");
    const link = join(source, ".git/worktrees", basename(t.dir), "gitdir");
    const named = t.read(link);
    writeFileSync(link, join(source, ".git"));
    expect(await t.bash("git status")).toMatch(/^Denied/);
    writeFileSync(link, named);
    expect(await t.bash("git status")).toBe("runs");
    const config = join(source, ".git/config");
    writeFileSync(config, `${t.read(config)}[core]\n\tfsmonitor = touch x\n`);
    expect(await t.bash("git status")).toMatch(/^Denied/);
  });

  it("asks in a repository below, in one above, and outside of any repository", async () => {
    await using t = await project();
    mkdirSync(join(t.dir, "deep/other"));
    git(join(t.dir, "deep/other"), "init", "-q");
    expect(await t.bash("cd deep/other && git status")).toMatch(/^Denied/);
    rmSync(join(t.dir, ".git"), { recursive: true });
    expect(await t.bash("git status")).toMatch(/^Denied/);
    git(join(t.dir, ".."), "init", "-q");
    expect(await t.bash("git status")).toMatch(/^Denied/);
  });
});

describe("with a folder of the project on the PATH of commands", () => {
  /** A project that brings programs named `cat` and `ls`, as `npx` would find them. */
  async function planted(path: (dir: string) => string): Promise<Post> {
    const environment: string[] = [];
    const t = await post({ mode: "ask" }, { environment });
    environment.push(`PATH=${path(t.dir)}:${process.env.PATH}`);
    for (const name of ["node_modules/.bin/cat", "bin/ls"]) chmodSync(t.file(name, "#!/bin/sh\n"), 0o755);
    t.file("a.txt");
    return t;
  }

  it("asks about a program that the project brings, and says which file it is", async () => {
    await using t = await planted((dir) => `${dir}/node_modules/.bin`);
    expect(await judged(t, ["cat a.txt", "ls", "true && cat a.txt"])).toEqual({
      "cat a.txt": "Denied",
      ls: "runs",
      "true && cat a.txt": "Denied",
    });
    expect(await t.bash("cat a.txt")).toContain(`\`cat\` is the project's own program ${t.dir}/node_modules/.bin/cat`);
  });

  it("asks about a program of the project that only runs another one", async () => {
    await using t = await planted((dir) => `${dir}/node_modules/.bin`);
    const wrapped = ["timeout 5 ls", "nice -n 3 ls", "nohup ls", "env ls", "sh -c ls", "nice bash -c 'nohup ls'"];
    expect(await judged(t, wrapped)).toEqual(all(wrapped, "runs"));
    for (const name of ["timeout", "nice", "nohup", "env", "sh"])
      chmodSync(t.file(`node_modules/.bin/${name}`, "#!/bin/sh\n"), 0o755);
    expect(await judged(t, wrapped)).toEqual(all(wrapped, "Denied"));
    expect(await t.bash("timeout 5 ls")).toContain(
      `it contains the project's own program ${t.dir}/node_modules/.bin/timeout`,
    );
  });

  it.each(["./bin", "", "."])("asks about each program with the relative folder %j first", async (folder) => {
    await using t = await planted(() => folder);
    expect(await judged(t, ["ls", "cat a.txt"])).toEqual({ ls: "Denied", "cat a.txt": "Denied" });
  });

  it("asks about no program that is found before the project's", async () => {
    await using t = await planted((dir) => `${process.env.PATH}:${dir}/bin:.`);
    expect(await judged(t, ["ls", "cat a.txt"])).toEqual({ ls: "runs", "cat a.txt": "runs" });
  });
});
