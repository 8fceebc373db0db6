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

/** Stores the commands and session options of the extensions that a host has loaded, for `scorel --help`. Throws EXTENSION_FOLDER. */
export function noteCommands(kernel: Kernel, entries: readonly KernelEntry[]): void {
  const path = noteFile();
  const files = new Map(entries.flatMap(({ plugin, origin, contained }) => (contained ? [[plugin.id, origin]] : [])));
  const text = `${JSON.stringify(files.size === 0 ? [] : [...commandsOf(kernel, files), ...optionsOf(kernel, files)], null, 2)}\n`;
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

/** The flags of session options that extensions contribute, in the form of commands with an empty noun. */
function optionsOf(kernel: Kernel, files: ReadonlyMap<string, string>): OwnCommand[] {
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
      return [option.flag, option.short?.flag].flatMap((flag) =>
        flag ? [{ noun: "", usage: flag.flags, description: flag.description.slice(0, LONGEST), file }] : [],
      );
    });
  });
}

const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";
