import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { TAP_FIELDS } from "../../kernel/hooks/layer.ts";
import { virtualNames } from "../../plugins/extensions/load/virtual-modules.ts";
import { hookNames, providers } from "../../plugins/extensions/providers.ts";
import { aboutHook, aboutService, knownWords } from "../../plugins/extensions/words.ts";
import { TOOL_FIELDS } from "../../plugins/tools/registry.ts";
import { catalogue, loadShipped } from "../../presets/catalogue.ts";
import { readLayers } from "../../presets/layers/layers.ts";
import { mergeLayers } from "../../presets/layers/merge.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const presets = readdirSync(join(root, "presets")).filter((file) => file.endsWith(".toml"));

/** The ids of the plugins that a preset uses, in order. */
async function useOf(preset: string): Promise<string[]> {
  const layers = await readLayers({ preset, by: "a test", cwd: root, project: undefined, presetOnly: true });
  return [...mergeLayers(layers).use.keys()];
}

describe("the catalogue", () => {
  it("names every plugin of this repository, with the scope that the plugin has", async () => {
    const plugins = await loadShipped(Object.keys(catalogue));
    const scopes = Object.fromEntries([...plugins].map(([id, { scope = "session" }]) => [id, scope]));
    // Folders without index.ts are not plugins: the kit holds libraries, `workspace` a contract.
    const folders = readdirSync(join(root, "plugins")).filter((id) =>
      existsSync(join(root, "plugins", id, "index.ts")),
    );
    expect(Object.keys(catalogue).sort()).toEqual(folders.sort());
    expect(scopes).toEqual(Object.fromEntries(Object.entries(catalogue).map(([id, { scope }]) => [id, scope])));
  });
});

describe("the hints", () => {
  it("know the provider of each service, and each hook that a plugin defines", async () => {
    const plugins = await loadShipped(Object.keys(catalogue));
    const provided = [...plugins].flatMap(([id, { provides = [], scope = "session" }]) =>
      provides.map((name) => [name, { id, scope }]),
    );
    expect(providers).toEqual(Object.fromEntries(provided));
    const hooks = readFileSync(join(root, "docs/reference/hooks.md"), "utf8").matchAll(/^## `(\w+)`/gm);
    expect([...hookNames].sort()).toEqual([...hooks].map(([, name]) => name).sort());
  });

  it("know the fields of tools and hook layers that are checked", () => {
    expect(knownWords.toolFields).toEqual(TOOL_FIELDS);
    expect(knownWords.tapFields).toEqual(TAP_FIELDS);
  });

  it("suggest what to add, or the name that was probably meant", () => {
    expect(["tools", "blobs", "agnet", "weather"].map(aboutService)).toEqual([
      'Add "tools" to "use".',
      'Add "blobs" to "use" in ~/.scorel/config.toml.',
      'Did you mean "agent"?',
      'Add its provider to "use".',
    ]);
    expect(["beforeToolcall", "afterTool", "afterToolCall", "weather"].map(aboutHook)).toEqual([
      'Did you mean "beforeToolCall"?',
      'Did you mean "afterToolCall"?',
      'Add "agent" to "use".',
      expect.stringContaining("Scorel has the hooks beforeToolCall, approveToolCall,"),
    ]);
  });
});

describe("a shipped preset", () => {
  it.each(presets)("%s uses only shipped plugins, and has a description", async (file) => {
    const preset = file.replace(".toml", "");
    expect((await useOf(preset)).filter((id) => !(id in catalogue))).toEqual([]);
    expect(parse(readFileSync(join(root, "presets", file), "utf8")).description).toEqual(
      expect.stringMatching(/^.{10,90}$/),
    );
  });

  it("named all uses every plugin, and those named coding, readonly and none use fewer each", async () => {
    const names = ["all", "coding", "readonly", "none"];
    const [all = [], ...others] = await Promise.all(names.map(useOf));
    expect([...all].sort()).toEqual(Object.keys(catalogue).sort());
    let larger = all;
    for (const use of others) {
      expect(use).toEqual(larger.filter((id) => use.includes(id)));
      expect(use.length).toBeLessThan(larger.length);
      larger = use;
    }
  });

  it("named none uses no plugin that has tools or needs them", async () => {
    const plugins = await loadShipped(await useOf("none"));
    const withTools = [...plugins.values()].filter(
      (plugin) => "tools" in plugin || [...(plugin.needs ?? []), ...(plugin.provides ?? [])].includes("tools"),
    );
    expect(withTools.map(({ id }) => id)).toEqual([]);
  });
});

describe("the modules that extensions may import", () => {
  it("include every entry point of their packages", () => {
    const ours = ["@scorel/kernel", "zod", "typebox", "@opentelemetry/api"];
    const packages = [...ours, "@mariozechner/pi-ai", "@mariozechner/pi-agent-core"];
    const entries = packages.flatMap((name) => entriesOf(name, manifestOf(name)));
    // Of the host's entry points, extensions get only the helpers for clients.
    expect([...virtualNames].sort()).toEqual([...entries, "@scorel/host/client", "@scorel/host/command-line"].sort());
  });
});

function manifestOf(name: string): { exports?: object } {
  return JSON.parse(readFileSync(join(root, "plugins/extensions/node_modules", name, "package.json"), "utf8"));
}

/** The entry points of a package, except its manifest and patterns. */
function entriesOf(name: string, { exports }: { exports?: object }): string[] {
  const subpaths = Object.keys(exports ?? {}).filter((key) => key.startsWith(".") && !/[*]|package\.json/.test(key));
  return (subpaths.length === 0 ? ["."] : subpaths).map((key) => name + key.slice(1));
}
