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
  notices: ["something has no effect"],
};
const layers: LayersService = {
  presets: async () => [
    { name: "coding", description: "Codes", files: ["presets/coding.toml"] },
    { name: "team", description: "Ours", files: ["/home/ann/.scorel/presets/team.toml", "/x/team.toml"] },
  ],
  preset: async (name) => ({ ...composed, files: [`presets/${name}.toml`], notices: [] }),
  config: async () => composed,
  schema: async () => ({ type: "object" }),
};

/** Runs one of its commands. */
async function run(command: string, args: string[] = [], options: Record<string, unknown> = {}) {
  await using t = await testKernel([inspect], { services: { layers, host: {} as Services["host"] } });
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
  it("list names each with what it is for, and the files that are not shipped", async () => {
    expect(await run("preset list")).toEqual({
      code: 0,
      out: ["coding  Codes", "team    Ours (/home/ann/.scorel/presets/team.toml, /x/team.toml)"],
      err: "",
    });
  });

  it("show tells what is loaded, left out and set, and who says so", async () => {
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

describe("scorel config", () => {
  it("show prints the values that some layer set, as TOML, and the notices beside it", async () => {
    expect(await run("config show")).toEqual({
      code: 0,
      out: ['model.provider = "with \\"quotes\\""', 'model.list = [1, true, { "a" = "b" }]'],
      err: "scorel: something has no effect\n",
    });
  });

  it("show --explain adds the defaults, and who set each value", async () => {
    expect((await run("config show", [], { explain: true })).out).toEqual([
      'model.provider = "with \\"quotes\\""     # /home/ann/.scorel/config.toml:3',
      'model.list = [1, true, { "a" = "b" }]  # /home/ann/.scorel/config.toml:4',
      "model.maxTokens = 8000                 # default",
    ]);
  });

  it("check names the layers that it found in order", async () => {
    expect((await run("config check")).out).toEqual(["ok  presets/base.toml", "ok  /home/ann/.scorel/config.toml"]);
  });

  it("schema prints a JSON Schema", async () => {
    expect(JSON.parse((await run("config schema")).out.join("\n"))).toEqual({ type: "object" });
  });
});
