import { expect, it } from "vitest";
import { knownInChinese } from "../../../../plugins/kit/text/known-zh.ts";

it("reasons of Scorel's own guards are said in Chinese, and those of others as they are", () => {
  const said = {
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
