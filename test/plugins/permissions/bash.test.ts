import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fc } from "../../property.ts";
import { type Post, post } from "./setup.ts";

let guard: Post;
beforeAll(async () => {
  guard = await post({ allow: ["Bash(echo *)", "Bash(git *)", "Bash(npm *)", "Bash(make *)"] });
  guard.file("src/a", "text\n");
});
afterAll(() => guard[Symbol.asyncDispose]());

const plain = fc.constantFrom(
  "git status",
  "git log -1",
  "npm test",
  "echo a b",
  "make all",
  "echo 'a; b'",
  'echo "a"',
);
// Except for harmless variables, such as CI.
const name = fc.stringMatching(/^[A-Za-z_]{1,4}$/).filter((it) => !/^(?:CI|TZ|LANG)$/.test(it));
const file = fc.constantFrom("out", "src/out", "./out", "a.b", "'o u t'", '"out"', "~/out", "$X", "/tmp/out");

const redirection = fc
  .tuple(
    fc.constantFrom(">", ">>", ">|", "&>", "&>>", ">&", "<>", "1>", "2>", "2>>", "5>"),
    fc.constantFrom("", " "),
    file,
  )
  .map((parts) => parts.join(""));
const assignment = fc
  .tuple(name, fc.constantFrom("=", "+="), fc.constantFrom("", "1", "'x y'", '"$Y"', "~/x", "(a b)", "$(echo a)"))
  .map((parts) => parts.join(""));
const inner = fc.constantFrom("git status", "echo a", "touch m", "true", "");
const substitution = inner.chain((command) =>
  fc
    .constantFrom(
      ...["$(CMD)", "`CMD`", '"$(CMD)"', '"a`CMD`"', "a$(CMD)b", "<(CMD)", ">(CMD)", "$((1 + $(CMD)))", "$X", '"$X"'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash
      ...["${X}", "${X:-$(CMD)}", '"${X#`CMD`}"', "$[1]", "$((1))", "{a,b}", "*", "src/?", "[ab]", "$'\\x61'", "~"],
    )
    .map((form) => form.replace("CMD", command)),
);

describe("no wildcard covers", () => {
  const refuses = (command: fc.Arbitrary<string>) =>
    fc.assert(
      fc.asyncProperty(command, async (text) => (await guard.bash(text)).startsWith("Denied: ")),
      { numRuns: 200 },
    );
  /** Puts a part between two words that are not quoted. */
  const within = (part: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.constantFrom("git log", "npm test --", "echo a", "make all"), part, fc.constantFrom("", " b"))
      .map(([before, it, after]) => `${before} ${it}${after}`);

  it("a redirection to a file, wherever it stands", async () => {
    await refuses(within(redirection));
    await refuses(fc.tuple(redirection, plain).map(([it, command]) => `${it} ${command}`));
    await refuses(
      fc
        .tuple(fc.constantFrom("{ C; }", "(C)", "if C; then C; fi"), plain, redirection)
        .map(([form, command, it]) => `${form.replaceAll("C", command)} ${it}`),
    );
  });

  it("an assignment before it", async () => {
    await refuses(fc.tuple(assignment, plain).map(([it, command]) => `${it} ${command}`));
    await refuses(fc.tuple(plain, assignment, plain).map(([first, it, then]) => `${first} && ${it} ${then}`));
    await refuses(fc.tuple(assignment, assignment).map((both) => both.join(" ")));
  });

  it("words that the shell expands", async () => {
    // File names are harmless for a program that only prints them.
    await refuses(within(substitution).filter((text) => !/^echo [\w\s/*?]*$/.test(text)));
    await refuses(fc.tuple(substitution, plain).map(([it, command]) => `${it} ${command}`));
  });
});

describe("in a real bash", () => {
  const pieces = [
    ...[
      "echo",
      "a",
      "b",
      "touch m",
      "touch",
      "m",
      ";",
      "|",
      "&",
      "&&",
      "||",
      "\n",
      "$(",
      "`",
      ")",
      "(",
      "{",
      "}",
      "'",
      '"',
    ],
    ...[
      "\\",
      "$",
      "<",
      ">",
      "<<E\n",
      "\nE\n",
      "<<'E'\n",
      "<<-E\n",
      "<<<",
      "#",
      "$((",
      "))",
      "((",
      "[[",
      "]]",
      "=",
      "*",
      "~",
    ],
    ...[
      "!",
      "if",
      "then",
      "fi",
      "case",
      "in",
      "esac",
      "for",
      "do",
      "done",
      "function",
      "coproc",
      "$'",
      '$"',
      " ",
      "\t",
      "${",
    ],
    ...[
      "<(",
      ">(",
      "&>",
      ">&",
      "|&",
      ";;",
      "x=",
      "time",
      "\\\n",
      "1",
      "2>",
      "f()",
      "x",
      "@(",
      "!(",
      "\u00a0",
      "{a,",
      ",}",
    ],
    ...[
      "select",
      "while",
      "until",
      "else",
      "elif",
      "-",
      "--",
      "&>>",
      ">|",
      "<>",
      ";&",
      "[",
      "]",
      "?",
      "^",
      "%",
      "exec",
    ],
  ];

  it("commands allowed by rules for echo only print", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-bash-"));
    mkdirSync(join(folder, "work"));
    const cwd = join(folder, "work");
    let ran = 0;
    const command = fc
      .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom("", " ")), { minLength: 1, maxLength: 14 })
      .map((parts) => `echo ${parts.flat().join("")}`);
    try {
      await fc.assert(
        fc.asyncProperty(command, async (text) => {
          if ((await guard.bash(text)) !== "runs") return;
          ran++;
          const env = { PATH: "/usr/bin:/bin", HOME: folder };
          spawnSync("/bin/bash", ["-c", text], { cwd, env, stdio: "ignore", timeout: 5_000 });
          expect([text, readdirSync(cwd), readdirSync(folder)]).toEqual([text, [], ["work"]]);
        }),
        { numRuns: 1_000 },
      );
      expect(ran).toBeGreaterThan(5);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);

  const readers =
    "find sed awk sort grep cat head tail ls wc test printf cut tr diff cmp uniq xargs env timeout nice nohup command bash sh";
  const words = [
    ...[
      "'touch m'",
      "touch",
      "m",
      "a",
      "b",
      ".",
      "'*'",
      "{}",
      "+",
      "\\;",
      "|",
      "&&",
      "<a",
      "2>&1",
      "--",
      "1",
      "5",
      "x=1",
    ],
    ...[
      "-exec",
      "-execdir",
      "-ok",
      "-delete",
      "-fprint",
      "-fls",
      "-printf",
      "-name",
      "--files0-from=a",
      "-P2",
      "-S",
      "-I",
    ],
    ...[
      "'w m'",
      "'1e touch m'",
      "'s/one/x/w m'",
      "'s/o/b/e'",
      "-i",
      "--in-place",
      "-n",
      "-e",
      "-E",
      "--expression='w m'",
    ],
    ...[
      "'{ print > \"m\" }'",
      "'BEGIN{system(\"touch m\")}'",
      "'BEGIN{print | \"touch m\"}'",
      "-v",
      "-W",
      "exec",
      "-f",
    ],
    ...[
      "-o",
      "-om",
      "-uo",
      "--output=m",
      "--outp=m",
      "-T.",
      "-S1",
      "--compress-program=touch",
      "-c",
      "-lc",
      "-u",
      "-0",
      "-s",
    ],
  ];

  it("programs that only read change nothing with any arguments that their rules allow", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-bash-"));
    const cwd = join(folder, "work");
    const lay = () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(cwd, { recursive: true });
      for (const file of ["a", "b"]) writeFileSync(join(cwd, file), "one\ntouch m\n");
    };
    lay();
    const before = treeOf(folder);
    const allow = readers.split(" ").map((name) => `Bash(${name} *)`);
    await using t = await post({ allow }, { cwd, root: cwd });
    const command = fc
      .tuple(fc.constantFrom(...readers.split(" ")), fc.array(fc.constantFrom(...words), { maxLength: 6 }))
      .map(([name, rest]) => [name, ...rest].join(" "));
    try {
      await fc.assert(
        fc.asyncProperty(command, async (text) => {
          if ((await t.bash(text)) !== "runs") return;
          const env = { PATH: "/usr/bin:/bin", HOME: folder };
          spawnSync("/bin/bash", ["-c", text], { cwd, env, stdio: "ignore", timeout: 5_000 });
          const after = treeOf(folder);
          // Restores the files, so that later commands are not blamed for these changes.
          if (!isDeepStrictEqual(after, before)) lay();
          expect([text, after]).toEqual([text, before]);
        }),
        { numRuns: 250 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

/** The content of every file, by path. */
function treeOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(files.map(({ path, name }) => [join(path, name), readFileSync(join(path, name), "utf8")]));
}
