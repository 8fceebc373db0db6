import type { Composed, PresetFindings, PresetSummary, Setting } from "./contract.ts";

/** Lists presets, one per line: name, description, and files unless the preset is a shipped one; or why it cannot be used. */
export function listPresets(presets: readonly PresetSummary[]): string {
  const width = Math.max(0, ...presets.map(({ name }) => name.length));
  return lines(
    presets.map(({ name, description, files, installed, problem }) => {
      if (problem) return `${name.padEnd(width)}  cannot be used: ${problem.message}`;
      const own = files.filter((file) => file !== `presets/${name}.toml`);
      const from = installed ? [origin(name, installed)] : own;
      const words = [description, from.length > 0 ? `(${from.join(", ")})` : ""].filter(Boolean).join(" ");
      return `${name.padEnd(width)}  ${words}`.trimEnd();
    }),
  );
}

function origin(name: string, { from, version, state }: NonNullable<PresetSummary["installed"]>): string {
  const flaw = state === "changed" ? `; changed since, so it is refused: scorel preset diff ${name}` : "";
  return `${version === undefined ? "" : `${version} `}from ${from}${flaw}`;
}

/** Describes what a preset loads, leaves out and sets, with the origin of each. */
export function describePreset(composed: Composed): string {
  const { files, layers = files.map((file) => ({ file, by: "" })), plugins, without, settings } = composed;
  return lines([
    "layers, later ones win:",
    ...aligned(layers.map(({ file, by }) => [`  ${file}`, by])),
    "loads:",
    ...aligned(plugins.map(({ id, scope, origin }) => [`  ${id}`, `${scope.padEnd(7)}  ${origin}`])),
    ...(without.length > 0 ? ["leaves out:", ...aligned(without.map(({ id, origin }) => [`  ${id}`, origin]))] : []),
    ...(settings.length > 0
      ? ["sets:", ...aligned(settings.map((each) => [`  ${assignment(each)}`, originOf(each)]))]
      : []),
    ...describePackages(composed),
  ]);
}

/** Describes locks, requirements and contents, which only shared presets have. */
function describePackages({ locked = [], requires = [], ships = [] }: Composed): string[] {
  const block = (title: string, rows: (readonly [string, string])[]) =>
    rows.length > 0 ? [title, ...aligned(rows)] : [];
  return [
    ...block(
      "locks against projects:",
      locked.map(({ path, origin }) => [`  ${path}`, origin]),
    ),
    ...block(
      "requires:",
      requires.map(({ what, origin, unmet }) => [`  ${what}`, `${origin}${unmet === undefined ? "" : "  not met"}`]),
    ),
    ...block(
      "ships:",
      ships.map(({ kind, name, origin, unused }) => [
        `  ${kind.padEnd("instructions".length)}  ${name}`,
        `${origin}${unused === undefined ? "" : `  not loaded: ${unused}`}`,
      ]),
    ),
  ];
}

/** Lists the checked files and what cannot be checked without running code. Problems are printed separately. */
export function listFindings({ files, problems, unknown }: PresetFindings): string {
  const read = problems.length > 0 ? [] : files.map((file) => `ok  ${file}`);
  return lines([...read, ...unknown.map((what) => `not known  ${what}`)]);
}

function originOf({ origin, locked }: Setting): string {
  return locked === undefined ? origin : `${origin}  locked against projects: ${locked}`;
}

/** Formats settings as TOML; with `explain`, each with a comment about its origin. */
export function showSettings({ settings }: Composed, explain: boolean): string {
  if (!explain) return lines(settings.filter(({ origin }) => origin !== "default").map(assignment));
  return lines(aligned(settings.map((setting) => [assignment(setting), `# ${originOf(setting)}`])));
}

function assignment({ path, value }: Setting): string {
  return `${path} = ${toml(value)}`;
}

/** Formats a value as TOML. Scalars and arrays are the same as in JSON; objects become inline tables. */
function toml(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)} = ${toml(inner)}`);
  return `{ ${pairs.join(", ")} }`;
}

function aligned(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`.trimEnd());
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}
