import { expect, it } from "vitest";
import type { Definition } from "../../../plugins/mcp/servers/definitions.ts";
import { baseEnvironment, expanded } from "../../../plugins/mcp/servers/variables.ts";

const variable = (name: string) => `\${${name}}`;
const user = { HOME: "/home/ann", TOKEN: "secret-token", ANTHROPIC_API_KEY: "sk-secret-key" };
const commands = { HOME: "/home/ann", EDITOR: "vi" };
const sources = { user, commands, allowed: [] };

function definition(env: Record<string, string>, ofProject: boolean): Definition {
  const way = { command: "run", args: [`--home=${variable("HOME")}`], env, cwd: "/" };
  return { name: "test", place: "", ofProject, enabled: true, timeoutMs: 1, way };
}

it("a server of the user's configuration may refer to any variable, whose value is then a secret", () => {
  const { way, secrets } = expanded(definition({ T: `Bearer ${variable("TOKEN")}` }, false), sources);
  expect(way).toMatchObject({ args: ["--home=/home/ann"], env: { T: "Bearer secret-token" } });
  expect(secrets).toContain("secret-token");
  expect(secrets).not.toContain("/home/ann");
});

it.each(["TOKEN", "ANTHROPIC_API_KEY", "EDITOR"])("a server of a project may not refer to %s", (name) => {
  expect(() => expanded(definition({ T: variable(name) }, true), sources)).toThrow(
    `a project may not use it; to let it, write variables = ["${name}"]`,
  );
});

it("a value that is not a key is not removed from results", () => {
  const given = { ...sources, user: { ...user, MODE: "production" } };
  expect(expanded(definition({ LEVEL: variable("MODE"), MORE: "development" }, false), given).secrets).toEqual([]);
  expect(expanded(definition({ API_KEY: "written-here" }, false), given).secrets).toContain("written-here");
});

it("a server of a project may refer to variables that the user allows, and has defaults for others", () => {
  const allowing = { ...sources, allowed: ["TOKEN"] };
  const env = { T: variable("TOKEN"), E: variable("EDITOR:-nano") };
  expect(expanded(definition(env, true), allowing).way).toMatchObject({ env: { T: "secret-token", E: "nano" } });
});

it("a variable that is not set is an error, and a dollar sign alone is a dollar sign", () => {
  expect(() => expanded(definition({ T: variable("NOTHING") }, false), sources)).toThrow("NOTHING is not set");
  expect(expanded(definition({ T: "$HOME $5 ${" }, false), sources).way).toMatchObject({ env: { T: "$HOME $5 ${" } });
});

it("every server gets only a short list of variables", () => {
  expect(baseEnvironment(sources)).toEqual({ HOME: "/home/ann" });
});
