import { hasGap, MANY } from "./gaps.ts";
import { firstOperand, optionTable } from "./options.ts";
import type { Inner } from "./runners.ts";
import { TOOL_OPTIONS } from "./subcommands.ts";

/** Subcommands that may change settings or scripts. npm completes abbreviated ones. */
const CHANGING = /^(?:pm|pkg?|c|con\w*|set|set-\w*)$/;
/** Package managers, and the subcommands of this kind that cannot be the name of a script, which most of them run, too. */
const MANAGERS = new Map([
  ["npm", CHANGING],
  ["pnpm", /^(?:config|c|set|pkg)$/],
  ["yarn", /^(?:config|set)$/],
  ["bun", /^pm$/],
  ["composer", /^config$/],
]);
/** Settings whose value is a program or a module. */
const RUNNING_KEY = /shell|editor|viewer|browser|^git$|node-?options|init|path$|^scripts?\b|^bin\b/i;

/** A change of a package manager's own settings, such as `npm pkg set`: the files it writes, and the words after the subcommand. */
export interface PackageSetting {
  files: string[];
  words: readonly string[];
  /** Whether the subcommand is certain, so that the command runs no script. */
  sure: boolean;
}

/** How a command of a package manager changes its settings or the project's scripts, which it may run later. */
export function packageSetting(name: string, words: readonly string[]): PackageSetting | undefined {
  const own = MANAGERS.get(name);
  if (!own) return undefined;
  const places = firstOperand(words, 1, TOOL_OPTIONS[name] ?? optionTable(""))?.places ?? [];
  const found = places.find(({ at }) => CHANGING.test(words[at] ?? ""));
  if (!found) return undefined;
  const rest = words.slice(found.at + 1).filter((word) => !word.startsWith("-"));
  const subcommand = words[found.at] as string;
  if (!/^set/.test(subcommand) && name !== "composer" && !rest.some((word) => word === "set" || hasGap(word)))
    return undefined;
  const files = name === "composer" ? ["composer.json"] : ["package.json", ".npmrc"];
  return { files, words: rest, sure: places.length === 1 && own.test(subcommand) };
}

/** The scripts and programs that a command of a package manager writes into its settings. */
export function settingInner(name: string, words: readonly string[]): Inner | undefined {
  const setting = packageSetting(name, words);
  if (!setting) return undefined;
  const inner: Inner = { commands: [], scripts: [], unsure: [] };
  for (const [at, word] of setting.words.entries()) {
    const [, key = word, value = setting.words[at + 1]] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    if (/\s/.test(word)) inner.scripts.push({ text: word, sure: false });
    if (value === undefined || !RUNNING_KEY.test(key)) continue;
    inner.scripts.push({ text: value, sure: false });
    inner.commands.push({ words: [...value.split(/\s+/), MANY], sure: false });
  }
  return inner;
}

/** Whether node runs a script of `package.json`. */
export function runsPackageScript(name: string, words: readonly string[]): boolean {
  return /^node(?:js)?$/.test(name) && words.some((word) => /^--run(?:=|$)/.test(word));
}
