import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWord } from "../../../../plugins/kit/text/shell-word.ts";

it("leaves plain paths as they are, and quotes the others", () => {
  expect(["/a/b-c_1.txt", "~/a", "skills@^1", "a b", "", "it's", "$HOME", "~root", "=ls", "^a"].map(shellWord)).toEqual(
    ["/a/b-c_1.txt", "'~/a'", "skills@^1", "'a b'", "''", "'it'\\''s'", "'$HOME'", "'~root'", "'=ls'", "'^a'"],
  );
});

it("is one word to a shell, whatever it contains", () => {
  const words = ["a b", "", "it's", "$HOME", "`id`", "a\nb", "*", "~", "~/a", "a=~/b", "=ls", "-n", "a;b", "\\", '"'];
  const script = `for word in ${words.map(shellWord).join(" ")}; do printf '%s\\0' "$word"; done`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
});
