import { expect, it } from "vitest";
import { knownInChinese, stateInChinese } from "../../../../plugins/kit/text/known-zh.ts";

it("a question about a background command or a plan is translated into Chinese", () => {
  const texts = [
    "It runs in the background, until it ends or the session does.",
    "It runs in the background, until it ends or the session does. The other answers allow it there and in the foreground.",
    "Another client wants to run:",
    ...["Carry out this plan?", "no, keep planning (you can add what to change)"],
    ...["yes, and edit files without asking (mode edits)", "yes, and ask before each edit (mode ask)"],
  ];
  for (const text of texts) expect(knownInChinese(text), text).toMatch(/^[^A-Za-z]+(?:~\/\.scorel|$)/);
});

it("reasons of Scorel's own guards are translated into Chinese, and those of others stay unchanged", () => {
  const said = {
    "odd/loop leads to no file that can be read": "odd/loop 不指向任何可读取的文件",
    "/etc/hosts is outside of the project": "/etc/hosts 位于项目之外",
    "`npm test`, `npm run build` need approval": "`npm test`, `npm run build` 需要批准",
    'the rule "Bash(git *)" asks for approval; a.ts is outside of the project':
      "规则“Bash(git *)”要求批准；a.ts 位于项目之外",
    "it contains the arguments of xargs, so it needs approval each time": "它包含 xargs 的参数，每次都需要批准",
    'it contains a hook of git, so it may run what the rule "Bash(rm *)" is about':
      "它包含 a hook of git，可能运行规则“Bash(rm *)”所涉及的内容",
    "a;b; it deploys": "a;b; it deploys",
  };
  expect(Object.keys(said).map((why) => knownInChinese(`Why you are asked: ${why}`))).toEqual(
    Object.values(said).map((why) => `询问的原因：${why}`),
  );
});

it("what an answer covers is translated into Chinese, and commands stay unchanged", () => {
  const said = {
    "always in this project: `npm start`": "在此项目中始终允许：`npm start`",
    "yes, and in this session: any `git add`, any `git commit`":
      "是，并在本会话中允许：任何 `git add`, 任何 `git commit`",
    "always in every project: these 3 commands": "在所有项目中始终允许：这 3 个命令",
  };
  expect(Object.keys(said).map(knownInChinese)).toEqual(Object.values(said));
});

it("the state of a command is translated into Chinese, and its output stays unchanged", () => {
  const said = {
    "[runs in the background as 7WQ0Er]": "[在后台运行，编号 7WQ0Er]",
    "[running for 12 s]": "[已运行 12 s]",
    "[stopped, including its child processes]": "[已停止，连同它启动的所有进程]",
    "[exit code 0]": "[退出码 0]",
    "[killed by SIGKILL]": "[被 SIGKILL 终止]",
    "[processes it started in the background still run]": "[它在后台启动的进程仍在运行]",
    "exit code 0": "exit code 0",
    "[exit code 0] ": "[exit code 0] ",
  };
  expect(Object.keys(said).map(stateInChinese)).toEqual(Object.values(said));
});
