import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { OperationDescription } from "@scorel/host/contract";
import type { AnyPlugin } from "@scorel/kernel";
import { KERNEL_EVENTS } from "../../kernel/events/kernel-events.ts";
import type { Table } from "../../plugins/kit/values/table.ts";
import { catalogue } from "../../presets/catalogue.ts";
import { readLayer } from "../../presets/layers/layer.ts";
import { type CommandLine, readCommandLine } from "./commands.ts";
import { type ErrorForm, type ErrorRow, errorFormsOf } from "./error-forms.ts";
import { readOperations } from "./operations.ts";
import {
  type Addition,
  type Contract,
  callsOf,
  contractOf,
  type Declaration,
  filesOf,
  keysReturned,
  keysWithin,
  type Row,
  read,
  root,
} from "./source.ts";

/** A hook, as its owner declares it. */
export interface Hook {
  name: string;
  owner: string;
  mode: "waterfall" | "bail" | "fold";
}

/** A plugin: its manifest, and what its sources show. */
export interface PluginFacts {
  id: string;
  folder: string;
  plugin: AnyPlugin;
  contract: Contract;
  /** Services that the plugin looks up when it runs and does not need for starting. */
  looksUp: string[];
  defines: Hook[];
  taps: string[];
  contributes: string[];
  collects: string[];
  errors: ErrorForm[];
}

/** A shipped preset, and the plugins that it results in. */
export interface PresetFacts {
  name: string;
  text: string;
  table: Table;
  /** Ids in order, after `extends`, `use` and `without`. */
  plugins: string[];
}

/** The facts from which the reference pages are generated. */
export interface Facts {
  plugins: PluginFacts[];
  kernel: { contract: Contract; events: typeof KERNEL_EVENTS; errors: ErrorForm[] };
  loader: { errors: ErrorForm[] };
  /** The libraries that plugins share. */
  kit: { errors: ErrorForm[] };
  /** Packages that consist only of a contract, by folder. */
  contracts: Map<string, Contract>;
  /** Services that no plugin provides, with the folder that provides them to a kernel. */
  given: Map<string, string>;
  presets: PresetFacts[];
  commandLine: CommandLine;
  operations: OperationDescription[];
}

export async function readFacts(): Promise<Facts> {
  const plugins: PluginFacts[] = [];
  for (const [id, { load }] of Object.entries(catalogue)) plugins.push(await pluginFacts(id, (await load()).default));
  const joined = joinContracts(plugins);
  return {
    plugins: withNames(joined.plugins),
    kernel: {
      contract: contractOf(read("kernel/types.ts"), "kernel"),
      events: KERNEL_EVENTS,
      errors: await errorsOf("kernel"),
    },
    loader: { errors: await errorsOf("presets") },
    kit: { errors: await errorsOf("plugins/kit") },
    contracts: joined.contracts,
    given: givenServices(),
    presets: readPresets(),
    commandLine: await readCommandLine(),
    operations: await readOperations(Object.keys(catalogue)),
  };
}

/** The rows of a table, the kernel's first. */
export function rowsOf(facts: Facts, table: string): Row[] {
  const contracts = [
    facts.kernel.contract,
    ...facts.contracts.values(),
    ...facts.plugins.map(({ contract }) => contract),
  ];
  return contracts.flatMap(({ rows }) => rows).filter((row) => row.table === table);
}

/**
 * Adds to each contract the types of other contracts that it exports, and to each interface the members that other
 * contracts add.
 */
function joinContracts(plugins: readonly PluginFacts[]): Pick<Facts, "plugins" | "contracts"> {
  const alone = contractsAlone();
  const written = new Map([...alone, ...plugins.map(({ folder, contract }) => [folder, contract] as const)]);
  const additions = [...written.values()].flatMap((contract) =>
    contract.additions.map((each) => ({ ...each, contract })),
  );
  const declarationsOf = (folder: string): Declaration[] => {
    const own = written.get(folder);
    // Operations have a separate page.
    const added = additions.filter(({ to, name }) => to === folder && name !== "Operations");
    // The types of packages that consist only of a contract are shown with the services of those packages.
    const others = [...(own?.shared ?? [])]
      .filter(([, from]) => !alone.has(from))
      .flatMap(([name, from]) => written.get(from)?.declarations.filter((each) => each.name === name) ?? []);
    const further = added.flatMap(({ contract }) => contract.declarations);
    const names = new Set<string>();
    const all = [...(own?.declarations ?? []), ...others, ...further];
    const unique = all.filter(({ name }) => !names.has(name) && names.add(name));
    return unique.map((each) =>
      withMembers(
        each,
        added.filter(({ name }) => name === each.name),
      ),
    );
  };
  const joined = (folder: string, contract: Contract) => ({ ...contract, declarations: declarationsOf(folder) });
  return {
    plugins: plugins.map((facts) => ({ ...facts, contract: joined(facts.folder, facts.contract) })),
    contracts: new Map([...alone].map(([folder, contract]) => [folder, joined(folder, contract)])),
  };
}

function withMembers(declaration: Declaration, added: readonly Addition[]): Declaration {
  if (added.length === 0) return declaration;
  const members = added.map((each) => each.members.trimEnd().replaceAll(/^ {4}/gm, "  ")).join("");
  return {
    ...declaration,
    text: `${declaration.text.replace(/\s*\}$/, "")}${members}\n}`,
    mentions: [...declaration.mentions, ...added.flatMap(({ mentions }) => mentions)],
  };
}

/** Contracts of folders that are not plugins. */
function contractsAlone(): Map<string, Contract> {
  const folders = readdirSync(join(root, "plugins")).map((id) => `plugins/${id}`);
  const alone = folders.filter(
    (folder) => existsSync(join(root, folder, "contract.ts")) && !existsSync(join(root, folder, "index.ts")),
  );
  return new Map(alone.map((folder) => [folder, contractIn(folder)]));
}

/** The contract of a folder: contract.ts, and the files in `contract` if it is divided by subject. */
function contractIn(folder: string): Contract {
  const parts = existsSync(join(root, folder, "contract")) ? readdirSync(join(root, folder, "contract")).sort() : [];
  const files = ["contract.ts", ...parts.map((name) => `contract/${name}`)].map((name) => `${folder}/${name}`);
  const all = files.filter((file) => existsSync(join(root, file))).map((file) => contractOf(read(file), folder));
  return {
    rows: all.flatMap(({ rows }) => rows),
    declarations: all.flatMap(({ declarations }) => declarations),
    shared: new Map(all.flatMap(({ shared }) => [...shared])),
    additions: all.flatMap(({ additions }) => additions),
  };
}

/** The contract that declares a row. The type of the kernel's own service is in a separate file. */
export function contractWith(facts: Facts, { owner }: Row): Contract {
  const plugin = facts.plugins.find(({ folder }) => folder === owner);
  return plugin?.contract ?? facts.contracts.get(owner) ?? facts.kernel.contract;
}

async function pluginFacts(id: string, plugin: AnyPlugin): Promise<PluginFacts> {
  const folder = `plugins/${id}`;
  const sources = filesOf(folder).map(read);
  const called = (name: string) => [
    ...new Set(sources.flatMap((source) => callsOf(source, name)).map(({ first }) => first)),
  ];
  return {
    id,
    folder,
    plugin,
    contract: contractIn(folder),
    looksUp: called("find"),
    defines: sources.flatMap((source) => hooksDefined(source, id)),
    taps: [...called("hook"), ...sources.flatMap((source) => keysWithin(source, "hooks"))],
    contributes: [...Object.keys(plugin), ...keysReturned(sources, "activate")],
    collects: called("collect"),
    // A client that also runs outside of the host has a separate error table.
    errors: [...(await errorsOf(folder)), ...(await errorsOf(`${folder}/client`))],
  };
}

/** Keeps only the names that are in a table. */
function withNames(plugins: PluginFacts[]): PluginFacts[] {
  const all = [...plugins.map(({ contract }) => contract), ...contractsAlone().values()];
  const rows = all.flatMap(({ rows }) => rows);
  const named = (table: string) => new Set(rows.filter((row) => row.table === table).map(({ name }) => name));
  const services = named("Services");
  const hooks = named("Hooks");
  const contributions = named("Contributions");
  return plugins.map((facts) => ({
    ...facts,
    looksUp: facts.looksUp.filter((name) => services.has(name) && !known(facts.plugin).includes(name)),
    taps: [...new Set(facts.taps)].filter((name) => hooks.has(name)),
    contributes: facts.contributes.filter((name) => contributions.has(name)),
  }));
}

function givenServices(): Map<string, string> {
  const folders = ["presets", "plugins/host"];
  return new Map(
    folders.flatMap((folder) =>
      filesOf(folder)
        .flatMap((file) => keysWithin(read(file), "services"))
        .map((name) => [name, folder] as const),
    ),
  );
}

/** Services that a plugin needs or provides according to its manifest. */
function known({ needs = [], provides = [] }: AnyPlugin): string[] {
  return [...needs, ...provides];
}

function hooksDefined(source: string, owner: string): Hook[] {
  return callsOf(source, "defineHook").map(({ first, second }) => ({
    name: first,
    owner,
    mode: second?.type === "Literal" ? (second.value as Hook["mode"]) : "fold",
  }));
}

type ErrorModule = { errors: { table: Record<string, ErrorRow> } };

async function errorsOf(folder: string): Promise<ErrorForm[]> {
  const file = `${folder}/errors.ts`;
  if (!existsSync(join(root, file))) return [];
  const { errors } = (await import(join(root, file))) as ErrorModule;
  return errorFormsOf(errors.table, read(file));
}

function readPresets(): PresetFacts[] {
  const files = readdirSync(join(root, "presets")).filter((name) => name.endsWith(".toml"));
  const names = files.map((file) => file.slice(0, -".toml".length)).sort();
  return names.map((name) => ({
    name,
    text: read(`presets/${name}.toml`).trim(),
    table: presetTable(name),
    plugins: pluginsOf(name),
  }));
}

function presetTable(name: string): Table {
  return readLayer(join(root, "presets", `${name}.toml`), "shipped").table;
}

function pluginsOf(name: string): string[] {
  const { extends: below = [], use = [], without = [] } = presetTable(name) as Record<string, string | string[]>;
  const inherited = [below].flat().flatMap(pluginsOf);
  const left = inherited.filter((id) => !without.includes(id));
  return [...new Set([...left, ...use])];
}
