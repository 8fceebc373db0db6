import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, env, stdio: "pipe" }).toString();
const allow = [
  "Bash(git *)",
  "Bash(cd *)",
  "Bash(pushd *)",
  "Bash(mkdir *)",
  "Bash(cp *)",
  "Bash(tar *)",
  "Bash(env *)",
];
const POSES =
  "Denied: it contains git in a folder that looks like a git folder, so it needs approval each time, and nobody is there to ask. Do not work around this. Continue without it, or explain why you need it.";
const SETTINGS = POSES.replace("that looks like a git folder", "whose settings can run programs");
const CHANGES = POSES.replace("that looks like a git folder", "that the same command may change");

/** A project with git. */
async function project(): Promise<Post> {
  const t = await post({ allow });
  git(t.dir, "init", "-q");
  t.file("src/a", "a\n");
  git(t.dir, "add", ".");
  git(t.dir, "commit", "-qm", "a");
  return t;
}
/** A folder that git recognizes as a repository by its content, whose settings run a program that creates a file. */
function bare(t: Post, name: string): string {
  const mark = join(t.dir, "mark");
  t.file(`${name}/HEAD`, "ref: refs/heads/main\n");
  t.file(
    `${name}/config`,
    `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ${t.dir}\nfsmonitor = "touch ${mark}; false"\n`,
  );
  for (const folder of ["objects", "refs"]) mkdirSync(join(t.dir, name, folder), { recursive: true });
  return mark;
}

describe("a folder that is made to look like a repository", () => {
  it("makes git run its programs, so that git there asks, however the folder is reached", async () => {
    await using t = await project();
    const mark = bare(t, "sub");
    t.link("innocent", "sub");
    git(join(t.dir, "sub"), "status");
    expect(existsSync(mark)).toBe(true);
    const ways = [
      ...[
        "cd sub && git status",
        "cd sub; git log",
        "(cd sub && git status)",
        "pushd sub && git diff",
        "git -C sub status",
        "git -Csub status",
      ],
      ...[
        "cd src/../sub && git status",
        "cd innocent && git status",
        "cd sub/refs && git status",
        "cd src && cd ../sub && git status",
      ],
      ...[
        'cd "$PWD/sub" && git status',
        "cd s*b && git status",
        "git --git-dir=sub status",
        "git --work-tree sub status",
        "git add sub",
        "env -C sub git status",
      ],
      ...[
        "{ cd sub; git status; }",
        "if cd sub; then git status; fi",
        "cd sub && timeout 5 git status",
        "git status sub",
        "bash -c 'cd sub && git status'",
      ],
    ];
    for (const way of ways) expect([way, await t.bash(way)]).toEqual([way, expect.stringMatching(/^Denied: /)]);
    for (const way of ways.slice(0, 3)) expect(await t.bash(way)).toBe(POSES);
    expect(await t.judge("Bash", { command: "git status", cwd: "sub" })).toContain("looks like a git folder");
    for (const fine of [
      "git status",
      "cd src && git status",
      "cd src; git diff a",
      "git add src",
      "pushd src && git log -1",
    ])
      expect([fine, await t.bash(fine)]).toEqual([fine, "runs"]);
  });

  it("cannot be created and used in one command", async () => {
    await using t = await project();
    bare(t, "evil");
    rmSync(join(t.dir, "evil/HEAD"));
    const makers = [
      "cp src/a evil/HEAD && cd evil && git status",
      "mkdir -p sub/refs && cd sub && git status",
      "cd src && git checkout main && git status",
    ];
    for (const command of makers) expect([command, await t.bash(command)]).toEqual([command, CHANGES]);
    expect(await t.bash("mkdir -p out && git status")).toBe("runs");
    expect(await t.bash("git checkout main && git status")).toBe("runs");
  });

  it.each([
    ["HEAD", ["config", "objects/x", "refs/x"]],
    ["refs/heads/x", ["HEAD", "objects/x"]],
    ["objects/x", ["HEAD", "refs/x"]],
    ["config", ["HEAD", "objects/x", "refs/x"]],
    ["hooks/pre-commit", ["HEAD", "objects/x", "refs/x"]],
    ["commondir", ["HEAD"]],
    ["head", ["OBJECTS/x", "refs/x"]],
  ])("is not completed by writing %s", async (last, before) => {
    await using t = await post({ mode: "full" });
    for (const name of before) t.file(`deep/sub/${name}`, "");
    const write = (file_path: string) => t.judge("Write", { file_path, content: "" });
    expect(await write(`deep/sub/${last}`)).toMatch(/controls the agent or git/);
    expect([await write("deep/sub/other"), await write("deep/HEAD")]).toEqual(["runs", "runs"]);
  });
});

describe("a repository in the project", () => {
  const settings = [
    ...[
      '[core]\n\tfsmonitor = "touch x"',
      "[core]\n\thooksPath = h",
      "[core] pager = x",
      "[include]\n\tpath = ../x",
      "[core]\n\tsshCommand = x",
    ],
    ...[
      '[filter "x"]\n\tclean = x',
      '[diff "x"]\n\ttextconv = x',
      "[alias]\n\tst = !x",
      "[core]\n\tworktree = /tmp",
      '[remote "o"]\n\turl = ext::x',
    ],
    ...[
      '[includeIf "gitdir:x"]\n\tpath = x',
      "[credential]\n\thelper = x",
      "[gpg]\n\tprogram = x",
      "[user]\n\tname = a \\\n[core]\n\tfsmonitor = x",
      "[x",
    ],
  ];
  it.each(settings)("whose settings hold %j is asked about", async (text) => {
    await using t = await project();
    mkdirSync(join(t.dir, "other"));
    git(join(t.dir, "other"), "init", "-q");
    expect(await t.bash("cd other && git status")).toBe("runs");
    t.file("other/.git/config", `${text}\n`);
    expect(await t.bash("cd other && git status")).toBe(SETTINGS);
  });

  it("is asked about for a hook, and for settings that a .git file leads to", async () => {
    await using t = await project();
    git(t.dir, "init", "-q", "other");
    t.file("other/.git/hooks/post-checkout", "#!/bin/sh\n");
    expect(await t.bash("cd other && git status")).toBe(SETTINGS);
    bare(t, "store");
    t.file("third/.git", "gitdir: ../store\n");
    expect(await t.bash("cd third && git status")).toBe(SETTINGS);
  });

  it("that is a worktree or submodule of the project is allowed while its settings are harmless", async () => {
    await using t = await project();
    const source = join(t.dir, "../source");
    mkdirSync(source);
    git(source, "init", "-q");
    git(source, "commit", "-qm", "s", "--allow-empty");
    git(t.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "mod");
    git(t.dir, "worktree", "add", "-q", "tree");
    for (const command of ["cd mod && git status", "cd tree && git status", "git status"])
      expect([command, await t.bash(command)]).toEqual([command, "runs"]);
    writeFileSync(join(t.dir, ".git/modules/mod/config"), '[core]\n\tfsmonitor = "touch x"\n');
    for (const command of ["cd mod && git status", "git status"])
      expect([command, await t.bash(command)]).toEqual([command, SETTINGS]);
  });

  it.each([
    ["shortens names", ["update-index", "--index-version", "4"], "unknown submodules"],
    ["stands in two files", ["update-index", "--split-index"], SETTINGS],
  ])("is found by an index that %s, too", async (_how, change, told) => {
    await using t = await project();
    const source = join(t.dir, "../source");
    mkdirSync(source);
    git(source, "init", "-q");
    git(source, "commit", "-qm", "s", "--allow-empty");
    git(t.dir, ...change);
    expect(await t.bash("git status")).toBe("runs");
    git(t.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "mod");
    git(t.dir, ...change);
    writeFileSync(join(t.dir, ".git/modules/mod/config"), '[core]\n\tfsmonitor = "touch x"\n');
    expect(await t.bash("git status")).toContain(told);
  });
});

it("git started by Scorel runs no program of a repository, and recognises no other folder as one", async () => {
  await using t = await project();
  const { git: own } = await import("../../../plugins/checkpoints/git/git.ts");
  const mark = bare(t, "sub");
  await expect(own(join(t.dir, "sub"), ["ls-files"])).rejects.toMatchObject({ code: "CHECKPOINT_GIT" });
  const hook = join(t.dir, ".git/hooks/post-index-change");
  mkdirSync(join(t.dir, ".git/hooks"), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(hook, 0o755);
  git(t.dir, "config", "core.fsmonitor", `touch ${mark}; false`);
  git(t.dir, "config", "core.pager", `touch ${mark}`);
  expect((await own(t.dir, ["ls-files", "--others", "--exclude-standard"])).toString()).toContain("sub/config");
  expect(existsSync(mark)).toBe(false);
});

it("is started nowhere without the settings that make it safe", () => {
  const root = join(import.meta.dirname, "../../..");
  const sourcesIn = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourcesIn(path);
      return path.endsWith(".ts") ? [path] : [];
    });
  const sources = [...sourcesIn("plugins"), ...sourcesIn("presets")];
  const starting = sources.filter((file) =>
    /(?:spawn|execFile|run)\w*\(\s*"git"/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(starting.sort()).toEqual([
    "plugins/demo/repository.ts",
    "plugins/kit/process/run-git.ts",
    "plugins/packages/sources/git.ts",
  ]);
  for (const file of starting)
    expect([file, readFileSync(join(root, file), "utf8")]).toEqual([file, expect.stringContaining("...SAFE_GIT,")]);
});
