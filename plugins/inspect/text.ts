import type { Composed, PresetSummary, Setting } from "./contract.ts";

/** A line per preset: its name, what it is for, and its files where they are not the shipped one. */
export function listPresets(presets: readonly PresetSummary[]): string {
  const width = Math.max(0, ...presets.map(({ name }) => name.length));
  return lines(
    presets.map(({ name, description, files, installed }) => {
      const own = files.filter((file) => file !== `presets/${name}.toml`);
      const from = installed ? [origin(name, installed)] : own;
      return `${name.padEnd(width)}  ${description}${from.length > 0 ? ` (${from.join(", ")})` : ""}`.trimEnd();
    }),
  );
}

function origin(name: string, { from, version, state }: NonNullable<PresetSummary["installed"]>): string {
  const flaw = state === "changed" ? `; changed since, so it is refused: scorel preset diff ${name}` : "";
  return `${version === undefined ? "" : `${version} `}from ${from}${flaw}`;
}

/** What a preset loads, leaves out and sets, each with its place. */
export function describePreset({ files, plugins, without, settings }: Composed): string {
  return lines([
    "layers, later ones win:",
    ...files.map((file) => `  ${file}`),
    "loads:",
    ...aligned(plugins.map(({ id, scope, origin }) => [`  ${id}`, `${scope.padEnd(7)}  ${origin}`])),
    ...(without.length > 0 ? ["leaves out:", ...aligned(without.map(({ id, origin }) => [`  ${id}`, origin]))] : []),
    ...(settings.length > 0
      ? ["sets:", ...aligned(settings.map((each) => [`  ${assignment(each)}`, each.origin]))]
      : []),
  ]);
}

/** The values as TOML; explained, each with a comment that says who set it. */
export function showSettings({ settings }: Composed, explain: boolean): string {
  if (!explain) return lines(settings.filter(({ origin }) => origin !== "default").map(assignment));
  return lines(aligned(settings.map((setting) => [assignment(setting), `# ${setting.origin}`])));
}

function assignment({ path, value }: Setting): string {
  return `${path} = ${toml(value)}`;
}

/** JSON's scalars and arrays are TOML's; tables inside arrays are inline tables, dates stand bare. */
function toml(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)} = ${toml(inner)}`);
  return `{ ${pairs.join(", ")} }`;
}

function aligned(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}
