import * as fs from "node:fs";
import { dirname } from "node:path";
import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import type { Kernel, KernelEntry } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { noteFile, type OwnCommand } from "./noted.ts";

const LONGEST = 200;

/** Stores the commands and options of the extensions that a host has loaded, for `scorel --help`. Throws EXTENSION_FOLDER. */
export function noteCommands(kernel: Kernel, entries: readonly KernelEntry[]): void {
  const path = noteFile();
  const files = new Map(entries.flatMap(({ plugin, origin, contained }) => (contained ? [[plugin.id, origin]] : [])));
  const sources = files.size === 0 ? [] : [commandsOf, addedOptions, folderOptions, sessionOptions];
  const rows = sources.flatMap((source) => source(kernel, files));
  const text = `${JSON.stringify(rows, null, 2)}\n`;
  const isThere = fs.existsSync(path);
  if (files.size === 0 && !isThere) return;
  if (isThere && fs.readFileSync(path, "utf8") === text) return;
  makePrivate(userDir(), dirname(path));
  replaceFile(path, text);
}

function commandsOf(kernel: Kernel, files: ReadonlyMap<string, string>): OwnCommand[] {
  const taken = new Set<string>();
  return kernel.collect("cliCommands").flatMap(({ plugin, value }) => {
    const file = files.get(plugin);
    const commands: unknown[] = Array.isArray(value) ? value : [];
    return commands.flatMap((command) => {
      const { noun, action, args, description } = Object(command) as Record<string, unknown>;
      const name = [noun, action].filter(isWord).join(" ");
      // If two commands have the same name, the first one is used. The command line reports the other.
      if (!isWord(noun) || taken.has(name)) return [];
      taken.add(name);
      const usage = [name, args].filter(isWord).join(" ").slice(0, LONGEST);
      return file === undefined
        ? []
        : [{ noun, usage, description: String(description ?? "").slice(0, LONGEST), file }];
    });
  });
}

/** The options that extensions add to the commands of other plugins, such as those of transports. */
function addedOptions(kernel: Kernel, files: ReadonlyMap<string, string>): OwnCommand[] {
  return kernel.collect("cliCommands").flatMap(({ plugin, value }) => {
    if (files.has(plugin)) return [];
    return value.flatMap(({ noun, options = [] }) =>
      options.flatMap((option) => optionRow(noun, option, files.get(option.plugin ?? ""))),
    );
  });
}

/** The options that choose a folder, which extensions add to all commands that open a session. */
function folderOptions(kernel: Kernel, files: ReadonlyMap<string, string>): OwnCommand[] {
  return kernel.collect("folderOptions").flatMap(({ plugin, value }) => {
    const given: unknown[] = Array.isArray(value) ? value : [];
    return given.flatMap((option) => optionRow("", option, files.get(plugin)));
  });
}

function optionRow(noun: string, option: unknown, file: string | undefined): OwnCommand[] {
  const { flags, description } = Object(option) as Record<string, unknown>;
  if (!isWord(flags) || file === undefined) return [];
  return [{ noun, usage: flags.slice(0, LONGEST), description: String(description ?? "").slice(0, LONGEST), file }];
}

/** The flags of session options that extensions contribute. */
function sessionOptions(kernel: Kernel, files: ReadonlyMap<string, string>): OwnCommand[] {
  // The valid options. They do not contain their plugins, so these are found by comparing the keys below.
  const left = new Map(
    kernel
      .find("sessionOptions")
      ?.known()
      .map((option) => [option.key, option]),
  );
  return kernel.collect("sessionOptions").flatMap(({ plugin, value }) => {
    const file = files.get(plugin);
    const given: unknown[] = Array.isArray(value) ? value : [];
    return given.flatMap((row) => {
      const key = String(Object(row).key);
      const option = left.get(key);
      if (file === undefined || !option) return [];
      left.delete(key);
      return [option.flag, option.short?.flag].flatMap((flag) => (flag ? optionRow("", flag, file) : []));
    });
  });
}

const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";
