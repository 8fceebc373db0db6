import type { CliCommand, CliOption, Launch } from "@scorel/cli/contract";
import { createKernel, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { withFolderOptions } from "../../plugins/cli/folder-options.ts";
import { withShortJson } from "../../plugins/cli/short-json.ts";
import { catalogue } from "../../presets/catalogue.ts";
import { globalOptions } from "../../presets/start/flags.ts";
import { testHeader } from "../harness.ts";

/** The built command line: every command with the plugin that contributes it, and the real help. */
export interface CommandLine {
  commands: { plugin: string; command: CliCommand }[];
  global: readonly CliOption[];
  help(noun: string): string;
}

/** Starts all host plugins in memory, collects their commands, and stops them. */
export async function readCommandLine(): Promise<CommandLine> {
  const host = Object.values(catalogue).filter(({ scope }) => scope === "host");
  const plugins = await Promise.all(host.map(async ({ load }) => (await load()).default));
  const kernel = await createKernel({
    entries: plugins.map((plugin) => ({ plugin, origin: "docs" })),
    store: createMemoryStore(testHeader),
    services: {
      launch,
      composition: unused("composition"),
      layers: unused("layers"),
      trust: unused("trust"),
      presetStore: unused("presetStore"),
      extensionStore: unused("extensionStore"),
      extensions: unused("extensions"),
    },
  });
  const folders = kernel.collect("folderOptions").flatMap(({ value }) => value);
  const commands = kernel
    .collect("cliCommands")
    .flatMap(({ plugin, value }) =>
      value.map((each) => ({ plugin, command: withFolderOptions(withShortJson(each), folders) })),
    );
  const nouns = new Set(commands.map(({ command }) => command.noun));
  const texts = new Map([...nouns].map((noun) => [noun, kernel.find("cli")?.help(noun) ?? ""]));
  const failure = kernel.failures[0];
  await kernel.stop();
  if (failure) throw new Error(`plugin "${failure.plugin}" failed in ${failure.where}: ${failure.message}`);
  return { commands, global: globalOptions, help: (noun) => (texts.get(noun) ?? "").trimEnd() };
}

const launch: Launch = {
  version: "<version>",
  globalOptions,
  failedExtensions: () => [],
  beforeEnd: () => {},
  leaveProjectUnused: () => {},
  cwd: "/",
  env: {},
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  interrupt: new AbortController().signal,
};

/** Stands in for a service that the loader provides and that commands use only when they run; no command runs here. */
function unused<N extends keyof Services>(name: N): Services[N] {
  const refuse = () => {
    throw new Error(`the service "${name}" was used while the documentation was made`);
  };
  return new Proxy({}, { get: refuse }) as Services[N];
}
