import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

const why = async (t: Post, command: string) =>
  (await t.bash(command)).replace(/^Denied: `[^`]*` needs approval/, "").replace(/,? and nobody is there.*$/, "");

describe("a refusal names a rule that almost matches, and what it does not cover", () => {
  it.each([
    [
      "Bash(node *)",
      "node --import ./x t.js",
      '; the rule "Bash(node *)" does not cover --import; "Bash(node --import *)" would',
    ],
    [
      "Bash(tar *)",
      "tar -C build -xf a.tar",
      '; the rule "Bash(tar *)" does not cover -C; "Bash(tar -C build -xf a.tar)" would',
    ],
    ["Bash(npm *)", "npm test > log.txt", '; the rule "Bash(npm *)" does not cover > log.txt; "Bash(> log.txt)" would'],
    ["Bash(npm *)", "FOO=1 npm test", '; the rule "Bash(npm *)" does not cover FOO=1; "Bash(FOO=1)" would'],
    ["Bash(npm *)", "yarn test", ""],
  ])("%s: %s", async (rule, command, hint) => {
    await using t = await post({ mode: "ask", allow: [rule] });
    expect(await why(t, command)).toBe(hint);
  });
});

const USUAL: Record<string, { runs: string[]; asks: string[] }> = {
  "node *": {
    runs: [
      "node --test test/",
      "node --test",
      "node --version",
      "node --watch x.js",
      "node --test-reporter=spec --test",
    ],
    asks: [
      "node -e 1",
      "node --import ./x y.js",
      "node --test-reporter=./x.js --test",
      "node --no-warnings",
      "node -r x y",
    ],
  },
  "python3 *": {
    runs: [
      "python3 -m pytest",
      "python3 -m pytest -q tests",
      "python3 -u x.py",
      "python3 -v x.py",
      "python3 -m unittest",
    ],
    asks: [
      "python3 -c 1",
      "python3 -m pip install x",
      "python3 -m http.server",
      "python3 -u",
      "python3 -v",
      "python3 -m pytest -p x",
      "python3 -m",
    ],
  },
  "make *": {
    runs: ["make -C src", "make -C src all", "make -j4"],
    asks: ["make -C /tmp", "make -C ..", "make -C/tmp all", "make -f x", "make -C ~", "make SHELL=x"],
  },
  "npm test*": {
    runs: ["CI=1 npm test", "NODE_ENV=test FORCE_COLOR=0 npm test", "DEBUG=a:* npm test"],
    asks: [
      "PATH=. npm test",
      "NODE_OPTIONS=--import=x npm test",
      "GIT_DIR=x npm test",
      "LD_PRELOAD=x npm test",
      "CI=$(id) npm test",
    ],
  },
  "xargs wc *": { runs: ["ls | xargs wc -l", "ls | xargs wc"], asks: ["ls | xargs rm", "ls | xargs -a x wc"] },
  "go *": {
    runs: ["go build -o bin/x", "go test -coverprofile=c.out ./..."],
    asks: [
      "go build -o /tmp/x",
      "go build -o ../x",
      "go build -o .git/hooks/pre-commit",
      "go test -exec x",
      "go build -toolexec x",
    ],
  },
  "eslint *": {
    runs: ["eslint -f json src", "eslint --format=stylish src", "eslint --format unix src"],
    asks: ["eslint -f ./x.js src", "eslint --format=./x.js src", "eslint --format ../x src"],
  },
  "git commit *": {
    runs: [
      "git commit -m \"$(cat <<'EOF'\nFix it\n\n`code` and $x\nEOF\n)\"",
      "git commit -am \"$(cat <<'EOF'\nFix\nEOF\n)\"",
    ],
    asks: [
      'git commit -m "$(cat <<EOF\n$(id)\nEOF\n)"',
      "git commit -m \"$(cat x <<'EOF'\na\nEOF\n)\"",
      "git commit -m \"$(cat <<'EOF' > x\na\nEOF\n)\"",
      "git commit -m \"$(cat <<'EOF' | sh\na\nEOF\n)\"",
      "git commit -m \"$(cat <<'EOF'; id\na\nEOF\n)\"",
      "git commit -m $(cat <<'EOF'\na --amend\nEOF\n)",
      "git commit -m \"$(A=1 cat <<'EOF'\na\nEOF\n)\"",
      "git commit -m \"$(cat <<'EOF' &\na\nEOF\n)\"",
    ],
  },
};

it.each(Object.entries(USUAL))("Bash(%s) covers usual commands and no others", async (pattern, { runs, asks }) => {
  await using t = await post({ mode: "ask", allow: [`Bash(${pattern})`] });
  t.file("src/a.js");
  const outcome = async (command: string) => [command, (await t.bash(command)).split(":")[0]];
  for (const command of runs) expect(await outcome(command)).toEqual([command, "runs"]);
  for (const command of asks) expect(await outcome(command)).toEqual([command, "Denied"]);
});
