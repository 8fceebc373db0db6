// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fc } from "../../property.ts";
import { post } from "./setup.ts";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const escaped = (text: string) => `"${text.replace(/[\\"$`]/g, "\\$&")}"`;

/** Ways to write a word, each with a command that must precede it. */
const word = (text: string) =>
  fc.constantFrom<[before: string, word: string]>(
    ["", text],
    ["", quoted(text)],
    ["", escaped(text)],
    ["", `${text[0]}''${text.slice(1)}`],
    ["", `\\${text}`],
    ["", `${text[0]}\\\n${text.slice(1)}`],
    ["", `$'${text}'`],
    ["", `$'\\x${text.charCodeAt(0).toString(16)}${text.slice(1)}'`],
    ["", `$"${text}"`],
    ["", `$(echo ${text})`],
    ["", `"$(printf %s ${text})"`],
    ["", `\`echo ${text}\``],
    ["", `\${none:-${text}}`],
    ["", `"\${none:-${text}}"`],
    ["", `\${none:-}${text}`],
    ["", `${text}$none`],
    [`v=${text}; `, "$v"],
    [`v=${text}; `, '"$v"'],
    [`v=X${text}; `, "${v#X}"],
    [`v=${text.toUpperCase()}; `, '"${v,,}"'],
    [`a=(${text}); `, "${a[0]}"],
    [`set -- ${text}; `, '"$1"'],
    [`set -- ${text}; `, '"$@"'],
    [`r=v; v=${text}; `, "${!r}"],
    [`read -r v <<< ${text}; `, "$v"],
    [`printf -v v %s ${text}; `, "$v"],
    [`touch ${text}; `, `${text.slice(0, -1)}?`],
    [`touch ${text}; `, `${text[0]}*`],
    [`touch ${text}; `, `[${text[0]}]${text.slice(1)}`],
  );
const both = fc
  .tuple(word("danger"), word("go"))
  .map(([[first, name], [second, arg]]) => ({ before: first + second, name, arg }));
const simple = fc.oneof(
  both.map(({ before, name, arg }) => `${before}${name} ${arg}`),
  both.map(({ before, name, arg }) => `${before}${name}  ${arg} x`),
  both.map(({ before, name, arg }) => `${before}X=1 ${name} ${arg}`),
  both.map(({ before, name, arg }) => `${before}> out ${name} ${arg}`),
  both.map(({ before, name, arg }) => `${before}${name} 2>&1 ${arg}`),
  fc.constantFrom(
    "v='danger go'; $v",
    "IFS=,; v=danger,go; $v",
    'set -- danger go; "$@"',
    'a=(danger go); "${a[@]}"',
    "a=(danger go); ${a[*]}",
    "{danger,go}",
    "$none danger go",
    "danger $none go",
    "echo go | xargs danger",
    "echo danger go | xargs",
    "echo danger go | xargs env",
    "echo go | xargs -I{} danger {}",
    "echo danger | xargs -I X env X go",
    "find go -exec danger {} \\;",
    "find . -maxdepth 0 -exec danger go {} +",
    "mkdir -p go; find go -exec danger {} ';'",
    "while read -r c; do $c; done <<< 'danger go'",
    "for c in danger; do $c go; done",
    "for c in 'danger go'; do $c; done",
    "danger $((1)) go",
    "awk 'BEGIN { system(\"danger go\") }'",
    "echo x | sed 's/x/danger go/e'",
    "sed '1e danger go' /dev/null",
    "echo x > f; sed -n '1e danger go' f",
    "python3 -c 'import os; os.system(\"danger go\")'",
    "perl -e 'system(\"danger go\")'",
    "v='a[$(danger go)]'; echo $((v))",
    "v='a[$(danger go)]'; (( v ))",
    "v='a[$(danger go)]'; [[ v -eq 0 ]]",
    "test -v 'a[$(danger go)]'",
    "printf -v 'a[$(danger go >&2)]' x",
    "PS4='$(danger go)'; set -x; true",
    "v='$(danger go)'; echo \"${v@P}\"",
    "printf 'x:;danger go' | make -sf -",
    "printf 'x:;danger go' > Makefile; make -s -f <(cat Makefile)",
    "env -S 'danger go'",
    "x='. -maxdepth 0 -exec danger go ;'; find $x",
    "x='-maxdepth 0'; x+=' -exec danger go ;'; find . $x",
    "x='-exec danger go ;'; y=\"-maxdepth 0 $x\"; find . $y",
    "a=(. -maxdepth 0 -exec danger go ';'); find \"${a[@]}\"",
    "set -- . -maxdepth 0 -exec danger go ';'; find \"$@\"",
    "f() { find \"$@\"; }; f . -maxdepth 0 -exec danger go ';'",
    "bash -c 'find $@' _ . -maxdepth 0 -exec danger go ';'",
    "find $(echo . -maxdepth 0 -exec danger go ';')",
    "find ${none:-. -maxdepth 0 -exec danger go ;}",
    "read -r x <<< '. -maxdepth 0 -exec danger go ;'; find $x",
    "IFS=,; x='.,-maxdepth,0,-exec,danger,go,;'; find $x",
    "for x in a '-maxdepth 0 -exec danger go ;'; do find . $x; done",
    "echo '. -maxdepth 0 -exec danger go ;' > f; find $(cat f)",
    "touch ./-exec danger go; find * ';'",
    "x='--use-compress-program=danger go'; tar cf t \"$x\" .",
    "x='-f -'; printf 'x:;danger go' | make -s $x",
    "x=-S; env $x 'danger go'",
    "touch danger go; env [dg]*",
    "touch dao danger; go=go; env dan* $go",
    "find . -maxdepth 0 -exec sh -c 'danger go' \\;",
  ),
);

/** Ways to run a command by another one. */
const wrapped = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      inner,
      fc.constantFrom<(command: string) => string>(
        (it) => `eval ${quoted(it)}`,
        (it) => `eval ${escaped(it)}`,
        (it) => `c=${quoted(it)}; eval "$c"`,
        (it) => `bash -c ${quoted(it)}`,
        (it) => `bash -ec ${quoted(it)} x y`,
        (it) => `bash +e -c ${quoted(it)}`,
        (it) => `bash -o pipefail -c ${quoted(it)}`,
        (it) => `c=${quoted(it)}; sh -c "$c"`,
        (it) => `sh -c '"$@"' _ bash -c ${quoted(it)}`,
        (it) => `echo ${quoted(it)} | bash`,
        (it) => `bash <<< ${quoted(it)}`,
        (it) => `bash <<'E'\n${it}\nE\n`,
        (it) => `cat <<'E' | bash -s\n${it}\nE\n`,
        (it) => `bash <(echo ${quoted(it)})`,
        (it) => `. <(echo ${quoted(it)})`,
        (it) => `. /dev/stdin <<< ${quoted(it)}`,
        (it) => `echo ${quoted(it)} > s; bash s`,
        (it) => `cat > s <<'E'\n${it}\nE\n. ./s`,
        (it) => `echo ${quoted(it)} | tee s > /dev/null; bash ./s`,
        (it) => `f() { ${it}\n}; f`,
        (it) => `function f { ${it}\n}; f x`,
        (it) => `( ${it}\n)`,
        (it) => `{ ${it}\n}`,
        (it) => `! { ${it}\n}`,
        (it) => `time { ${it}\n}`,
        (it) => `if { ${it}\n}; then :; fi`,
        (it) => `for i in 1; do ${it}\ndone`,
        (it) => `until { ${it}\n}; do break; done`,
        (it) => `case x in x) ${it}\n;; esac`,
        (it) => `echo $(${it}\n)`,
        (it) => `echo "$(${it}\n)"`,
        (it) => `cat <(${it}\n) > /dev/null`,
        (it) => `echo x | { ${it}\n}`,
        (it) => `x=$(${it}\n)`,
        (it) => `true && { ${it}\n}`,
        (it) => `trap ${quoted(it)} EXIT`,
        (it) => `coproc { ${it}\n}; wait`,
        (it) => `env bash -c ${quoted(it)}`,
        (it) => `env -i PATH="$PATH" LOG="$LOG" bash -c ${quoted(it)}`,
        (it) => `command bash -c ${quoted(it)}`,
        (it) => `exec bash -c ${quoted(it)}`,
        (it) => `nice -n 1 timeout 5 bash -c ${quoted(it)}`,
        (it) => `timeout -k 1 5 bash -c ${quoted(it)}`,
        (it) => `echo ${quoted(quoted(it))} | xargs bash -c`,
        (it) => `find . -maxdepth 0 -exec bash -c ${quoted(it)} \\;`,
        (it) => `shopt -s expand_aliases\nalias d=${quoted(it)}\nd`,
        (it) => `BASH_ENV=<(echo ${quoted(it)}) bash -c true`,
        (it) => `mapfile -C ${quoted(`${it};`)} -c 1 m <<< x`,
        (it) => `git -c alias.z=${quoted(`!${it}`)} z`,
        (it) => `awk 'BEGIN { system(ARGV[1]) }' ${quoted(it)}`,
        (it) => `echo ${Buffer.from(`${it}\n`).toString("base64")} | base64 -d | sh`,
      ),
    )
    .map(([command, wrap]) => wrap(command));
const noise = fc.constantFrom("", "echo a; ", "true && ", "x=1\n", "ls > /dev/null; ", ": # '\n", "echo '$(' \"b\"; ");
const script = fc
  .tuple(
    noise,
    fc.oneof(simple, wrapped(simple), wrapped(wrapped(simple)), wrapped(wrapped(wrapped(simple)))),
    fc.constantFrom("", "; echo b", " # x", " &\nwait"),
  )
  .map((parts) => parts.join(""));
const rules = fc.constantFrom("danger*", "danger *", "danger go*", "danger go *", "*danger go*");

it("bash runs no denied command, however the script is written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scorel-oracle-"));
  const [cwd, bin, log] = ["work", "bin", "log"].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(bin);
  writeFileSync(join(bin, "danger"), '#!/bin/sh\necho "danger $*" >> "$LOG"\n');
  chmodSync(join(bin, "danger"), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, LOG: log };
  const posts = new Map<string, Awaited<ReturnType<typeof post>>>();
  let ran = 0;
  try {
    await fc.assert(
      fc.asyncProperty(script, rules, async (text, rule) => {
        const guard = posts.get(rule) ?? (await post({ mode: "full", deny: [`Bash(${rule})`] }));
        posts.set(rule, guard);
        if ((await guard.bash(text)) !== "runs") return void ran++;
        rmSync(cwd, { recursive: true, force: true });
        mkdirSync(cwd);
        writeFileSync(log, "");
        spawnSync("/bin/bash", ["-c", text], { cwd, env, stdio: "ignore", timeout: 10_000 });
        const pattern = new RegExp(`^${rule.replaceAll("*", ".*").replace(/ \.\*$/, "(?: .*)?")}$`);
        const lines = readFileSync(log, "utf8")
          .split("\n")
          .map((line) => line.trimEnd());
        expect([rule, text, lines.filter((line) => line !== "" && pattern.test(line))]).toEqual([rule, text, []]);
      }),
      { numRuns: Number(process.env.RUNS ?? 200) },
    );
    expect(ran).toBeGreaterThan(60);
  } finally {
    for (const guard of posts.values()) await guard[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
