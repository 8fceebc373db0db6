import { expect, it } from "vitest";
import { tomlOf } from "../../../../plugins/terminal/pickers/settings.ts";

it("writes a setting as lines of TOML, ready for a configuration file", () => {
  expect([
    tomlOf("agent.retries", 3),
    tomlOf("terminal.keys.expand", ["ctrl+x"]),
    tomlOf("mcp.servers", { "a b": { command: "x", on: true } }),
    tomlOf("model.id", undefined),
    tomlOf("locked", []),
  ]).toEqual([
    "[agent]\nretries = 3",
    '[terminal.keys]\nexpand = ["ctrl+x"]',
    '[mcp]\nservers = { "a b" = { command = "x", on = true } }',
    "[model]\nid = …",
    "locked = []",
  ]);
});
