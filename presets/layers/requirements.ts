import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findProgram } from "@scorel/kit/process/programs";
import { parseRange, parseVersion } from "@scorel/kit/text/version-range";
import { isTable } from "@scorel/kit/values/table";
import manifest from "../../package.json" with { type: "json" };
import type { ConfigProblem } from "./check.ts";
import { type Layer, placeOf } from "./layer.ts";
import { listed, type Merged } from "./merge.ts";
import { parsePreset } from "./schema.ts";

/** The unmet requirements of layers, each with advice. `loaded` are the ids of the extensions to load. */
export function unmetRequirements(merged: Merged, loaded: readonly string[]): ConfigProblem[] {
  return requirements(merged, loaded).flatMap(({ unmet, place }) =>
    unmet === undefined ? [] : [{ code: "CONFIG_REQUIRES", message: `${unmet} (${place})` }],
  );
}

/** All requirements of the layers. `unmet` describes what is missing and what to do. */
export function requirements(
  { layers, use }: Merged,
  loaded: readonly string[],
): (Requirement & { unmet: string | undefined })[] {
  const isUsed = (id: string) => use.has(id) || loaded.includes(id);
  return requirementsOf(layers).map((requirement) => ({ ...requirement, unmet: flawOf(requirement, isUsed, layers) }));
}

/** One thing that a layer requires. */
export interface Requirement {
  kind: "scorel" | "node" | "plugin" | "preset" | "program";
  /** A range of versions, the id of a plugin, a preset such as `team@^1.2`, or the name of a program. */
  what: string;
  /** The layer's file, for messages. */
  file: string;
  place: string;
}

/** All requirements in `requires`; values of another type are reported by the schema. */
function requirementsOf(layers: readonly Layer[]): Requirement[] {
  return layers.flatMap((layer) => {
    const { file } = layer;
    const { requires } = layer.table;
    const versions = (["scorel", "node"] as const).flatMap((kind): Requirement[] => {
      const what = isTable(requires) ? requires[kind] : undefined;
      return typeof what === "string" ? [{ kind, what, file, place: placeOf(layer, ["requires", kind]) }] : [];
    });
    const plugins = listed(layer, ["requires", "plugins"]);
    const presets = listed(layer, ["requires", "presets"]);
    const programs = listed(layer, ["requires", "programs"]);
    return [
      ...versions,
      ...plugins.map(([what, place]) => ({ kind: "plugin" as const, what, file, place })),
      ...presets.map(([what, place]) => ({ kind: "preset" as const, what, file, place })),
      ...programs.map(([what, place]) => ({ kind: "program" as const, what, file, place })),
    ];
  });
}

function flawOf(
  { kind, what, file }: Requirement,
  isUsed: (id: string) => boolean,
  layers: readonly Layer[],
): string | undefined {
  switch (kind) {
    case "scorel":
      if (isIn(what, manifest.version)) return undefined;
      return `${file} requires Scorel ${what}, and this is ${manifest.version}. Install a matching version: npm install --global scorel`;
    case "node":
      if (isIn(what, process.versions.node)) return undefined;
      return `${file} requires Node.js ${what}, and this is ${process.versions.node}. Run scorel with a matching version`;
    case "plugin":
      if (isUsed(what)) return undefined;
      return `${file} requires the plugin "${what}", which is not in use. Add it to "use", or remove it from "without"`;
    case "preset":
      return presetFlaw(what, file, layers);
    case "program":
      if (findProgram(what) !== undefined) return undefined;
      return `${file} requires the program ${what}, which is not on the PATH. Install it`;
  }
}

/** Why a required preset is missing: it is not in use, or has the wrong version. Undefined if it is not missing. */
function presetFlaw(what: string, file: string, layers: readonly Layer[]): string | undefined {
  const { name, range } = parsePreset(what) ?? {};
  if (name === undefined) return undefined;
  const found = layers.filter((layer) => layer.file !== file && nameOf(layer) === name);
  if (found.length === 0)
    return `${file} requires the preset "${name}", which is not in use. Add it to "extends"; to install it first: scorel preset add <source>`;
  const versions = found.map(versionOf).filter((version) => version !== undefined);
  if (range === undefined || versions.some((version) => isIn(range, version))) return undefined;
  const [version] = versions;
  return version === undefined
    ? `${file} requires the preset "${name}" ${range}, and the one in use has no version. Add a package.json with a "version" to it`
    : `${file} requires the preset "${name}" ${range}, and this is ${version}. Run: scorel preset update ${name}`;
}

/** The name of a preset: that of its folder, or of its file without the extension. */
function nameOf({ pack, file }: Layer): string {
  return pack?.name ?? basename(file, ".toml");
}

/** The version of a preset: that of Scorel for a shipped one, else the one in its package.json. */
function versionOf({ kind, pack }: Layer): string | undefined {
  if (kind === "shipped") return manifest.version;
  if (!pack) return undefined;
  try {
    const { version } = JSON.parse(readFileSync(join(pack.root, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" && parseVersion(version) ? version : undefined;
  } catch {
    // Without a readable package.json, a preset has no version.
    return undefined;
  }
}

/** Whether a version is in a range. True for an invalid range, which the schema reports. */
function isIn(range: string, version: string): boolean {
  const [contains, parsed] = [parseRange(range), parseVersion(version)];
  return !contains || !parsed || contains(parsed);
}
