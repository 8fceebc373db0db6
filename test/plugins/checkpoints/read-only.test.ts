import { describe, expect, it } from "vitest";
import { onlyReads } from "../../../plugins/checkpoints/record/read-only.ts";

const PATH = "/usr/local/bin:/usr/bin";
const reads = (command: unknown, path = PATH) => onlyReads("Bash", { command }, "/home/me/project", path);

describe("a command that provably only reads", () => {
  it.each([
    "true",
    "ls",
    "ls -la src",
    "cat a.txt b/c.ts",
    "head -n 5 a",
    "grep -rn total src | head -20",
    "pwd; ls && wc -l a",
    "  cat a  ",
  ])("is %j", (command) => expect(reads(command)).toBe(true));

  it.each([
    "echo 1 > a",
    "cat a >> b",
    "cat <(touch b)",
    "ls $(touch a)",
    "ls `touch a`",
    "ls & touch a",
    "ls\ntouch a",
    "ls || touch a",
    "cat a | tee b",
    "PATH=. ls",
    "./ls",
    "a/ls",
    "find . -delete",
    "sort -o a b",
    "tail -f a",
    "git status",
    "eval ls",
    "ls ~",
    "ls *",
    "cat 'a'",
    "grep --output=x a",
    "toString",
    "ls;",
    "",
  ])("is not %j", (command) => expect(reads(command)).toBe(false));

  it("is recognized in linear time, however many blanks it has", () => {
    const began = performance.now();
    expect(reads(`cat a${"\n".repeat(100_000)}b`)).toBe(false);
    expect(reads(`cat a;${" \n".repeat(100_000)}ls`)).toBe(true);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("is not recognized if its programs may belong to the project, for other tools, or in the background", () => {
    for (const path of ["", ".", "bin:/usr/bin", "/home/me/project/node_modules/.bin:/usr/bin", "/home/me/project"])
      expect(reads("ls", path)).toBe(false);
    expect(reads("ls", "/home/me/project-tools:/usr/bin")).toBe(true);
    expect(onlyReads("Shell", { command: "ls" }, "/p", PATH)).toBe(false);
    expect(onlyReads("Bash", { command: "ls", background: true }, "/p", PATH)).toBe(false);
    expect(onlyReads("Bash", { poll: "1" }, "/p", PATH)).toBe(false);
    expect(onlyReads("Bash", undefined, "/p", PATH)).toBe(false);
  });
});
