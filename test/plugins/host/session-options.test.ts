import { describe, expect, it } from "vitest";
import { ownOperation } from "../../../plugins/host/clients/operations.ts";
import { checkParams, ownSchema } from "../../../plugins/host/clients/params.ts";
import { optionFlags, optionsFrom, optionsOf } from "../../../plugins/host/session-options.ts";
import { shippedOptions } from "../../../plugins/host/shipped-options.ts";
import { createWorkspace } from "../../../plugins/host/workspace.ts";
import { testHome } from "./home.ts";

const all = {
  model: "offline/demo",
  allowWrite: [] as string[],
  thinking: "high",
  tools: ["Read"],
  appendSystemPrompt: "Be short.",
  permission: "plan",
  sandbox: "docker",
  attending: true,
  environment: ["PATH=/bin"] as string[],
  mcpServers: ['{"name":"words","command":"words"}'] as string[],
} as const;

describe("the options of a session", () => {
  it("come with the workspace, and from there to the session that a reload opens", () => {
    using home = testHome();
    expect(Object.keys(all).sort()).toEqual(shippedOptions.map(({ key }) => key).sort());
    const workspace = createWorkspace({ sessionId: "s1", cwd: home.cwd, ...all });
    expect(optionsOf(workspace)).toEqual(all);
    expect(optionsOf(createWorkspace({ sessionId: "s1", cwd: home.cwd }))).toEqual({ allowWrite: [] });
  });

  it.each<[object, object]>([
    [{ tools: " Read, Grep,," }, { tools: ["Read", "Grep"] }],
    [{ yes: true }, { permission: "full" }],
    [{ yes: true, permission: "plan" }, { permission: "plan" }],
    [
      {
        model: "a/b",
        thinking: "low",
        allowWrite: ["/x"],
        sandbox: "local",
        appendSystemPrompt: "Hi, you.",
        watch: true,
      },
      {
        model: "a/b",
        thinking: "low",
        allowWrite: ["/x"],
        sandbox: "local",
        appendSystemPrompt: "Hi, you.",
      },
    ],
  ])("come from the command line: %j gives %j", (parsed, given) => {
    expect(optionsOf(optionsFrom(parsed as Record<string, unknown>))).toEqual(given);
  });

  it("are offered on the command line in one order", () => {
    expect(optionFlags().map(({ flags }) => flags)).toEqual([
      "--thinking <level>",
      "--append-system-prompt <text>",
      "--tools <names>",
      "--permission <mode>",
      "--yes",
      "--sandbox <executor>",
    ]);
  });

  it.each([
    ["permission", "all", 'it must be "ask", "edits", "full" or "plan"'],
    ["sandbox", "jail", 'it must be "auto", "bubblewrap", "docker", "podman" or "local"'],
    ["tools", "Read", "it must be a list"],
    ["attending", "yes", "it must be true or false"],
    ["color", "red", 'there is no "color" here'],
  ])("are checked: %s may not be %j", (key, value, reason) => {
    const schema = ownSchema("load_session", ownOperation("load_session") as never, () => shippedOptions);
    expect(() => checkParams("load_session", schema, { sessionId: "s1", [key]: value })).toThrow(reason);
    expect(() => checkParams("load_session", schema, { sessionId: "s1", ...all })).not.toThrow();
  });
});
