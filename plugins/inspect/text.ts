import type { Composed, PresetFindings, PresetSummary, Setting } from "./contract.ts";

/** A line per preset: its name, what it is for, and its files where they are not the shipped one. */
export function listPresets(presets: readonly PresetSummary[]): string {
  const width = Math.max(0, ...presets.map(({ name }) => name.length));
  return lines(
    presets.map(({ name, description, files, installed }) => {
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

/** What a preset loads, leaves out and sets, each with its place. */
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

/** What only presets have that are made to be shared. */
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

/** What was found wrong is told apart; this is what was looked at, and what cannot be told without running code. */
export function listFindings({ files, problems, unknown }: PresetFindings): string {
  const read = problems.length > 0 ? [] : files.map((file) => `ok  ${file}`);
  return lines([...read, ...unknown.map((what) => `not known  ${what}`)]);
}

function originOf({ origin, locked }: Setting): string {
  return locked === undefined ? origin : `${origin}  locked against projects: ${locked}`;
}

/** The values as TOML; explained, each with a comment that says who set it. */
export function showSettings({ settings }: Composed, explain: boolean): string {
  if (!explain) return lines(settings.filter(({ origin }) => origin !== "default").map(assignment));
  return lines(aligned(settings.map((setting) => [assignment(setting), `# ${originOf(setting)}`])));
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
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`.trimEnd());
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}
