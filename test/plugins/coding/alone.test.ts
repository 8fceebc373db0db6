import type { AgentService } from "@scorel/agent/contract";
import coding from "@scorel/coding";
import { definePlugin } from "@scorel/kernel";
import local from "@scorel/local";
import messages from "@scorel/messages";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import { testKernel } from "../../harness.ts";
import { textOf } from "./workshop.ts";

const agent = definePlugin({
  id: "agent",
  name: "Stand-in",
  version: "1.0.0",
  provides: ["agent"],
  activate(ctx) {
    ctx.defineHook("approveToolCall", { fold: (call) => call });
    ctx.defineHook("transformContext", "waterfall");
    ctx.provide("agent", { contextTokens: () => 0 } as AgentService);
  },
});

it("the tools work in the process's directory without the services workspace, model and secrets", async () => {
  await using t = await testKernel([messages, agent, tools, local, coding]);
  const bash = t.kernel.find("tools")?.get("Bash");
  const result = await bash?.execute("a", { command: "pwd; env | cut -d= -f1 | sort | tr '\\n' ' '" }, undefined);
  const [cwd, names = ""] = textOf(result ?? { content: [] }).split("\n");
  const given = ["EDITOR", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "SCOREL_COMMAND_ID", "VISUAL"];
  const allowed = ["HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "TMPDIR", "USER", ...given];
  const own = ["OLDPWD", "PWD", "SHLVL", "_"];
  expect(cwd).toBe(process.cwd());
  expect(
    names
      .trim()
      .split(" ")
      .filter((name) => !allowed.includes(name) && !own.includes(name)),
  ).toEqual([]);
});

it("the plugin leaves nothing behind", async () => {
  await using t = await testKernel([messages, agent, tools, local]);
  const before = t.kernel.census();
  for (let round = 0; round < 2; round++) {
    await t.kernel.load({ plugin: coding, origin: "test" });
    await t.kernel.unload("coding");
  }
  expect(t.kernel.census()).toEqual(before);
});
