import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));

it("a slash command with -p runs as in a conversation: one that asks the model, and one that answers itself", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([text("Reviewed.")]);
  s.useModel(model.baseUrl);
  await s.run(["mcp", "add", "tools", "--", process.execPath, program, "--only=echo", "--extras"]);
  await s.run(["mcp", "test", "tools"]);
  expect(await s.run(["-p", "/mcp__tools__review x=1"])).toMatchObject({ code: 0, stdout: "Reviewed.\n", stderr: "" });
  const sent = JSON.stringify(model.requests[0]?.body.messages.at(-1).content);
  expect(sent).toContain("This is the prompt");
  expect(sent).toContain("x=1");
  expect(await s.run(["-p", "/mcp"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tools: /), stderr: "" });
  const json = await s.run(["-p", "/mcp", "--output", "json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    text: expect.stringMatching(/^tools: /),
    stopReason: "stop",
    cost: 0,
  });
  expect(model.requests).toHaveLength(1);
});

it("a command that fails, or is only for conversations, is an error", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([]);
  s.useModel(model.baseUrl);
  expect(await s.run(["-p", "/mcp restart none"])).toMatchObject({ code: 2, stdout: "" });
  expect(await s.run(["-p", "/permission full"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("/permission runs only in a conversation"),
  });
  const { code, stderr } = await s.run(["-p", "/new"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("/new works only in a conversation")]);
});

it("other texts with a slash go to the model, with a warning if they could be commands", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([text("One."), text("Two."), text("Three.")]);
  s.useModel(model.baseUrl);
  const warned = await s.run(["-p", "/mpc now"]);
  expect(warned.stdout).toBe("One.\n");
  expect(warned.stderr).toContain("There is no slash command /mpc in this session, so the model gets it as text.");
  expect(warned.stderr).not.toContain("Did you mean");
  expect(await s.run(["-p", "/usr/bin/env fails"])).toMatchObject({ stdout: "Two.\n", stderr: "" });
  expect(await s.run(["-p", "/mcp"], { input: "piped" })).toMatchObject({ stdout: "Three.\n", stderr: "" });
  expect(model.requests.map(({ body }) => body.messages.at(-1).content)).toEqual([
    "/mpc now",
    "/usr/bin/env fails",
    "/mcp\n\npiped",
  ]);
});

it("an unknown command is answered with those that have its name as a part", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([text("Done.")]);
  s.useModel(model.baseUrl);
  mkdirSync(join(s.home, ".scorel/skills/deploy"), { recursive: true });
  writeFileSync(join(s.home, ".scorel/skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: Deploys.\n---\nGo.\n");
  expect(await s.run(["-p", "/deploy staging"])).toMatchObject({
    stdout: "Done.\n",
    stderr:
      "warning: There is no slash command /deploy in this session, so the model gets it as text. Did you mean /skill:deploy?\n",
  });
});
