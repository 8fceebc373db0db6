import type { Invocation } from "@scorel/cli/contract";
import type { Composed, LayersService } from "@scorel/inspect/contract";
import type { Services } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import inspect from "../../plugins/inspect/index.ts";
import { testKernel } from "../harness.ts";

const composed: Composed = {
  files: ["presets/base.toml", "/home/ann/.scorel/config.toml"],
  plugins: [
    { id: "model", scope: "session", origin: "presets/base.toml:3" },
    { id: "host", scope: "host", origin: "presets/base.toml:4" },
  ],
  without: [{ id: "tools", origin: "/home/ann/.scorel/config.toml:1" }],
  settings: [
    { path: "model.provider", value: 'with "quotes"', origin: "/home/ann/.scorel/config.toml:3" },
    { path: "model.list", value: [1, true, { a: "b" }], origin: "/home/ann/.scorel/config.toml:4" },
    { path: "model.maxTokens", value: 8000, origin: "default" },
  ],
  notices: [{ code: "CONFIG_NO_EFFECT", text: "something has no effect" }],
};
const layers: LayersService = {
  presets: async () => [
    { name: "coding", description: "Codes", files: ["presets/coding.toml"] },
    { name: "team", description: "Ours", files: ["/home/ann/.scorel/presets/team.toml", "/x/team.toml"] },
  ],
  preset: async (name) => ({ ...composed, files: [`presets/${name}.toml`], notices: [] }),
  check: async (name) => ({
    files: [`presets/${name}.toml`],
    problems: name === "bad" ? ["one (presets/bad.toml:1)", "two (presets/bad.toml:2)"] : [],
    unknown: ["what only running it tells"],
  }),
  config: async () => composed,
  extensionTables: async () => [],
  schema: async () => ({ type: "object" }),
};

/** Runs one of the plugin's commands. */
async function run(command: string, args: string[] = [], options: Record<string, unknown> = {}, shown = layers) {
  await using t = await testKernel([inspect], {
    services: { layers: shown, host: {} as Services["host"], sessionLogs: {} as Services["sessionLogs"] },
  });
  const said = { out: "", err: "" };
  const stream = (key: "out" | "err") => ({
    write(text: string) {
      said[key] += text;
    },
  });
  const invocation = { args, options, stdout: stream("out"), stderr: stream("err") } as unknown as Invocation;
  const commands = t.kernel.collect("cliCommands").flatMap(({ value }) => value);
  const code = await commands.find(({ noun, action }) => `${noun} ${action}` === command)?.run(invocation);
  return { code, out: said.out.split("\n").slice(0, -1), err: said.err };
}

describe("scorel preset", () => {
  it("list names each preset with its purpose, and the files that are not shipped", async () => {
    expect(await run("preset list")).toEqual({
      code: 0,
      out: ["coding  Codes", "team    Ours (/home/ann/.scorel/presets/team.toml, /x/team.toml)"],
      err: "",
    });
  });

  it("list marks a preset that cannot be used, and prints all as JSON on request", async () => {
    const [coding] = await layers.presets();
    const problem = { code: "CONFIG_TOML", message: "/x/e4.toml:1:9: not valid TOML: the string is not closed" };
    const presets = [coding as NonNullable<typeof coding>, { name: "e4", description: "", files: [], problem }];
    const shown = { ...layers, presets: async () => presets };
    expect(await run("preset list", [], {}, shown)).toEqual({
      code: 0,
      out: ["coding  Codes", `e4      cannot be used: ${problem.message}`],
      err: "",
    });
    expect(await run("preset list", [], { output: "json" }, shown)).toEqual({
      code: 0,
      out: [JSON.stringify(presets)],
      err: "",
    });
  });

  it("show lists what is loaded, left out and set, and by which layer", async () => {
    expect(await run("preset show", ["none"])).toEqual({
      code: 0,
      out: [
        "layers, later ones win:",
        "  presets/none.toml",
        "loads:",
        "  model  session  presets/base.toml:3",
        "  host   host     presets/base.toml:4",
        "leaves out:",
        "  tools  /home/ann/.scorel/config.toml:1",
        "sets:",
        '  model.provider = "with \\"quotes\\""     /home/ann/.scorel/config.toml:3',
        '  model.list = [1, true, { "a" = "b" }]  /home/ann/.scorel/config.toml:4',
        "  model.maxTokens = 8000                 default",
      ],
      err: "",
    });
  });
});

describe("scorel preset show", () => {
  it("names the source of each layer, what is locked and required, and what a folder ships", async () => {
    const file = "/home/ann/.scorel/presets/team/preset.toml";
    const shown: Composed = {
      ...composed,
      files: ["presets/base.toml", file],
      layers: [
        { file: "presets/base.toml", by: `${file}:1` },
        { file, by: "scorel preset show" },
      ],
      plugins: [],
      without: [],
      settings: [{ path: "permissions.mode", value: "ask", origin: `${file}:9`, locked: `${file}:2` }],
      locked: [{ path: "permissions.mode", origin: `${file}:2` }],
      requires: [
        { what: "scorel >=0.1", origin: `${file}:4` },
        { what: "program git", origin: `${file}:5`, unmet: "it is not there" },
      ],
      ships: [
        { kind: "extension", name: "rules", origin: "/x/rules.ts" },
        { kind: "skill", name: "review", origin: "/x/SKILL.md", unused: "no reason" },
      ],
    };
    expect((await run("preset show", ["team"], {}, { ...layers, preset: async () => shown })).out).toEqual([
      "layers, later ones win:",
      `  presets/base.toml                           ${file}:1`,
      `  ${file}  scorel preset show`,
      "loads:",
      "sets:",
      `  permissions.mode = "ask"  ${file}:9  locked against projects: ${file}:2`,
      "locks against projects:",
      `  permissions.mode  ${file}:2`,
      "requires:",
      `  scorel >=0.1  ${file}:4`,
      `  program git   ${file}:5  not met`,
      "ships:",
      "  extension     rules   /x/rules.ts",
      "  skill         review  /x/SKILL.md  not loaded: no reason",
    ]);
    const config = { ...layers, config: async () => shown };
    expect((await run("config show", [], { explain: true }, config)).out).toEqual([
      `permissions.mode = "ask"  # ${file}:9  locked against projects: ${file}:2`,
    ]);
    await expect(run("config check", [], {}, config)).rejects.toMatchObject({
      code: "INSPECT_PRESET",
      message: `it is not there (${file}:5)`,
    });
  });
});

describe("scorel preset check", () => {
  it("names what was read and what is unknown, and fails with every problem", async () => {
    expect(await run("preset check", ["good"])).toEqual({
      code: 0,
      out: ["ok  presets/good.toml", "not known  what only running it tells"],
      err: "",
    });
    await expect(run("preset check", ["bad"])).rejects.toMatchObject({
      code: "INSPECT_PRESET",
      message: "one (presets/bad.toml:1)\ntwo (presets/bad.toml:2)",
    });
  });
});

describe("scorel config", () => {
  it("show prints the values that a layer sets, as TOML, with the notices", async () => {
    expect(await run("config show")).toEqual({
      code: 0,
      out: ['model.provider = "with \\"quotes\\""', 'model.list = [1, true, { "a" = "b" }]'],
      err: "scorel: something has no effect\n",
    });
  });

  it("show --explain adds the defaults, and which layer set each value", async () => {
    expect((await run("config show", [], { explain: true })).out).toEqual([
      'model.provider = "with \\"quotes\\""     # /home/ann/.scorel/config.toml:3',
      'model.list = [1, true, { "a" = "b" }]  # /home/ann/.scorel/config.toml:4',
      "model.maxTokens = 8000                 # default",
    ]);
  });

  it("check lists the layers in order", async () => {
    expect((await run("config check")).out).toEqual(["ok  presets/base.toml", "ok  /home/ann/.scorel/config.toml"]);
  });

  it("schema prints a JSON Schema", async () => {
    expect(JSON.parse((await run("config schema")).out.join("\n"))).toEqual({ type: "object" });
  });
});
