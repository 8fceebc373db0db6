import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { programOf } from "../../../plugins/runner/run/command.ts";

const judged = (command: string, lists: { allow?: string[]; deny?: string[] }, env = {}) => {
  try {
    return programOf(command, { allow: [], deny: [], ...lists }, env);
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

describe("without lists", () => {
  it("runs a command in a shell", () => {
    expect(judged("a | b > $C", {})).toEqual(["bash", "-c", "a | b > $C"]);
  });
});

describe("with lists", () => {
  const allow = ["python3", "ls"];

  it("a command is a single program with arguments, and nothing is expanded", () => {
    expect(judged(`python3 -c 'print(1)' "a b" c\\ d $HOME *.txt ~ ''`, { allow })).toEqual([
      "python3",
      "-c",
      "print(1)",
      "a b",
      "c d",
      "$HOME",
      "*.txt",
      "~",
      "",
    ]);
  });

  it("a backslash between quotes means what it means to a shell", () => {
    const command = String.raw`python3 "a\tb\\c \"d\" \$e" 'f\g'`;
    expect(judged(command, { allow })).toEqual(
      execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" })
        .split("\0")
        .slice(0, -1),
    );
  });

  it.each([["ls; rm x"], ["ls && rm x"], ["ls | sh"], ["ls > out/x"], ["ls < x"], ["ls\nrm x"], ["ls '|'"]])(
    "%j needs a shell, and is refused",
    (command) => {
      expect(judged(command, { allow })).toMatch(/which requires a shell/);
    },
  );

  it.each([
    ["ls 'a", "unterminated quote"],
    ["ls a\\", "trailing escape"],
    ["", "command is empty"],
    ["curl x", "curl is not allowed; allowed are python3, ls"],
    ["./evil/python3 x", "./evil/python3 is not allowed: it is a path"],
    ["/tmp/python3 x", "/tmp/python3 is not allowed: it is a path"],
    ["env python3", "env is not allowed"],
  ])("%j is refused: %s", (command, reason) => {
    expect(judged(command, { allow })).toContain(reason);
  });

  it("a deny rule covers the file under every name, and programs that run others are refused", () => {
    const deny = ["perl"];
    expect(judged("ls x", { deny })).toEqual(["ls", "x"]);
    expect(judged("perl -e 1", { deny })).toContain("perl is denied");
    for (const wrapper of [
      "env perl",
      "bash -c perl",
      "sh x",
      "xargs perl",
      "timeout 1 perl",
      "find . -exec perl",
      "nohup perl",
    ])
      expect(judged(wrapper, { deny })).toContain("runs other programs");
    expect(judged("ls", { allow, deny: ["ls"] })).toContain("ls is denied");
  });

  it("without an allow rule, programs that are in no list run, even if they can run others", () => {
    const deny = ["curl"];
    for (const command of ["python3 x.py", "node x.js", "npm exec curl", "fd -x curl"]) {
      expect(judged(command, { deny })).toEqual(command.split(" "));
      expect(judged(command, { allow: ["ls"], deny })).toContain("is not allowed");
    }
  });

  it("a program is recognised by every name, with its version and through links", () => {
    const names = ["perl", "perl5.36.0", "perl5.36-x86_64-linux-gnu"].filter((name) => existsSync(`/usr/bin/${name}`));
    for (const name of names) {
      expect(judged(`${name} -e 1`, { deny: ["perl"] })).toMatch(/is denied|runs other programs/);
      expect(judged(`${name} -e 1`, { deny: ["curl"] })).toContain("runs other programs");
    }
    expect(judged("perl -e 1", { allow: ["perl"] })).toEqual(["perl", "-e", "1"]);
    expect(judged("python3 x", { deny: ["python3.11", "python3.12", "python3.13"] })).toContain("python3 is denied");
  });

  it.each([
    "tar --to-command=x -xf a",
    "git -c core.pager=x log",
    "sed 1e",
    "sort --compress-program=x",
    "bwrap true",
    "prlimit true",
    "rsync -e x a b",
    "less x",
    "ed x",
    "i386 true",
    "awk 1",
    "vim.tiny x",
    "/usr/bin/env perl",
  ])("%j is refused: it runs others, or is a path", (command) => {
    expect(judged(command, { deny: ["curl"] })).toMatch(/runs other programs|is a path/);
  });

  it("a program that runs others can be allowed by name", () => {
    expect(judged("bash scripts/run.sh", { allow: ["bash"] })).toEqual(["bash", "scripts/run.sh"]);
    expect(judged("scripts/run.sh x", { allow: ["scripts/run.sh"] })).toEqual(["scripts/run.sh", "x"]);
  });

  it.each([
    "PATH",
    "LD_PRELOAD",
    "BASH_ENV",
    "PYTHONPATH",
    "IFS",
    "DYLD_INSERT_LIBRARIES",
    "GIT_SSH_COMMAND",
    "TAR_OPTIONS",
    "PAGER",
    "OPENSSL_CONF",
    "XDG_CONFIG_HOME",
    "npm_config_x",
    "LESSOPEN",
  ])("the variable %s is refused", (name) => {
    expect(judged("ls", { allow }, { [name]: "x" })).toContain(`it sets ${name}`);
  });
});
