import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fc } from "../../property.ts";
import { post } from "./setup.ts";

/** Options that write the file `m`, or run a program that does, and some others. */
const git = {
  commands:
    "log diff show grep format-patch ls-files shortlog blame clone apply archive fetch ls-remote rebase diff-tree rev-list stash status".split(
      " ",
    ),
  words:
    "-O./m.sh -nO./m.sh -n -q -p -1 -5 -u -u./m.sh -qu./m.sh ./m.sh -c core.pager=./m.sh --output=m --outp=m --output m -o m -qo m -om --no-index --ext-diff --textconv --exec=./m.sh -x ./m.sh -qx --upload-pack=./m.sh --upload ./m.sh --open-files-in-pager=./m.sh --open=./m.sh a HEAD . x --stat --oneline --author --grep -S -e one -- --all --config core.pager=./m.sh --template=m --unsafe-paths --directory=m --stdout --since=1 -L 1,1:a -U3 --format=%H -i -z -l".split(
      " ",
    ),
};
const others: Record<string, string[]> = {
  sort: "-o m -om -uo -uom --output=m --outp m -T. -S1 a b -u -k1 -k 1 -t: --compress-program=./m.sh --compress=./m.sh --files0-from=a -c -r -n --reverse --".split(
    " ",
  ),
  uniq: "a m -c -d -f 1 -f1 -- --count --skip-fields=1 -w 2 -i".split(" "),
  xxd: "a m -r -p -c 16 -c16 -l 4 -s 1 -ps -plain -i -- -revert -b -g 1".split(" "),
  tar: "cf xf tf -cf -xf -tf m a . -I./m.sh -I ./m.sh --to-command=./m.sh -g m -cgm -C .. -f t.tar t.tar -v -z --use-compress-program=./m.sh --checkpoint=1 --checkpoint-action=exec=./m.sh -F ./m.sh -T a xfI tgf -O --exclude=x".split(
    " ",
  ),
  sqlite3: [
    "-cmd",
    ".shell ./m.sh",
    "'.shell ./m.sh'",
    ":memory:",
    "'select 1'",
    "-init",
    "a",
    "'.output m'",
    "\"select writefile('m',1)\"",
    "-csv",
    "-header",
    "-separator",
    "\"vacuum into 'm'\"",
    "\"attach 'm' as y; create table y.t(a)\"",
    "'select 1;\n.shell ./m.sh'",
  ],
  openssl: "rand dgst -hex 4 -out m -base64 -sha256 a version -writerand enc -in -base64 -a".split(" "),
  sed: [
    "-n",
    "-e",
    "p",
    "'w m'",
    "'s/one/x/w m'",
    "'1e ./m.sh'",
    "'s/.*/.\\/m.sh/e'",
    "a",
    "-s",
    "'1,2p'",
    "s/o/x/",
    "-E",
    "'{p;e ./m.sh\n}'",
    "'/x/w m'",
    "-f",
    "--expression='w m'",
    "'y/a/b/;w m'",
    "'a w m'",
    "'s|a|b|;1w m'",
  ],
};

/** The same for programs that most machines have; missing ones are skipped. */
Object.assign(others, {
  find: ". a -name -type f m -fprint m -fprintf m x -fls m -exec ./m.sh {} + ';' -ok -delete -maxdepth 1 -o '(' ')' ! -print -execdir -newer -files0-from -size -1k".split(
    " ",
  ),
  rg: "one a . -n --pre ./m.sh --pre=./m.sh --hostname-bin ./m.sh --hostname-bin=./m.sh --hyperlink-format=default -z -nz -e -g * -tts -C1 --files -l --json -f --color always".split(
    " ",
  ),
  zip: "-r -q -T -TT ./m.sh -rTT -O m -b . -m --out m a.zip a --unzip-command -qO -x -i -j --output-file=m".split(" "),
  unzip: "-d . -o -p -l -q a.zip -qd m".split(" "),
  gzip: "-k -c -f a b -S m -kf --suffix=m".split(" "),
  grep: "one a . -r -n -f -e -A1 --include=a -d read --color --exclude-from=a".split(" "),
  jq: "-n . -r --arg a m -f -L --rawfile --tab -c 1 --argjson --seq -nr".split(" "),
  kubectl: "m get pods --kubeconfig a -n m version --client plugin list -o m --m config view".split(" "),
  cargo: "m check --config a --manifest-path m -q -v build test --target-dir=m --list version new m -C m init".split(
    " ",
  ),
});

it("arguments that a wildcard covers write no other file and run no other program", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scorel-coverage-"));
  const [cwd, kept] = ["work", "kept"].map((name) => join(folder, name)) as [string, string];
  const env = {
    PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    MARK: join(folder, "mark"),
  };
  mkdirSync(kept);
  for (const file of ["a", "b"]) writeFileSync(join(kept, file), "one\ntwo\n");
  // Programs that run other programs whose names begin with their own.
  const path = join(folder, "bin");
  mkdirSync(path);
  for (const file of [join(kept, "m.sh"), join(path, "kubectl-m"), join(path, "cargo-m")]) {
    writeFileSync(file, '#!/bin/sh\ntouch "$MARK"\n');
    chmodSync(file, 0o755);
  }
  const git0 = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], { cwd: kept, env });
  git0("init", "-q");
  git0("add", ".");
  git0("commit", "-qm", "x");
  spawnSync("cp", ["-r", kept, cwd]);
  const names = ["git", ...Object.keys(others)];
  await using guard = await post({ allow: names.map((name) => `Bash(${name} *)`) }, { cwd, root: cwd });
  const gitCommand = fc
    .tuple(fc.constantFrom(...git.commands), fc.array(fc.constantFrom(...git.words), { maxLength: 4 }))
    .map(([name, rest]) => ["git", name, ...rest].join(" "));
  const other = fc
    .constantFrom(...Object.keys(others))
    .chain((name) =>
      fc
        .array(fc.constantFrom(...(others[name] as string[])), { minLength: 1, maxLength: 5 })
        .map((rest) => [name, ...rest].join(" ")),
    );
  let ran = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.oneof(gitCommand, other, other), async (text) => {
        if ((await guard.bash(text)) !== "runs") return;
        ran++;
        rmSync(cwd, { recursive: true, force: true });
        spawnSync("cp", ["-r", kept, cwd]);
        spawnSync("/bin/bash", ["-c", text], { cwd, env, stdio: "ignore", timeout: 10_000 });
        const made = readdirSync(cwd).filter((name) => name === "m");
        expect([text, existsSync(env.MARK), made]).toEqual([text, false, []]);
      }),
      { numRuns: Number(process.env.RUNS ?? 120) },
    );
    expect(ran).toBeGreaterThan(5);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

it("a rule for date covers showing the date, not setting the clock or printing files", async () => {
  await using t = await post({ mode: "edits", allow: ["Bash(date *)"] });
  const first = async (command: string) => [command, (await t.bash(command)).split(":")[0]];
  for (const command of ["date", "date +%s", "date -u -Iseconds", "date -d yesterday +%F", "date -r src/a"])
    expect(await first(command)).toEqual([command, "runs"]);
  for (const command of [
    "date -s x",
    "date -us x",
    "date --set=x",
    "date --se x",
    "date 01010000",
    "date -f src/a",
    "date --file=src/a",
  ])
    expect(await first(command)).toEqual([command, "Denied"]);
});
