import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
const name = fc.stringMatching(/^[A-Za-z_]{1,4}$/);
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
  /** Between two words that are not in quotes. */
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

  it("what the shell makes of a word", async () => {
    await refuses(within(substitution));
    await refuses(fc.tuple(substitution, plain).map(([it, command]) => `${it} ${command}`));
  });
});

describe("bash itself", () => {
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

  it("does nothing but print for whatever rules for echo allow", async () => {
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
        { numRuns: 2_500 },
      );
      expect(ran).toBeGreaterThan(20);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
