import { hasGap, MANY, ONE, PIPE } from "./gaps.ts";
import { firstOperand, type OptionTable, optionTable } from "./options.ts";
import { settingInner } from "./package-settings.ts";
import { steeringOf } from "./programs.ts";
import type { Inner } from "./runners.ts";
import { SUBCOMMANDS_OF_GIT, TOOL_OPTIONS } from "./subcommands.ts";

const RUNNING_KEY =
  /alias|pager|editor|command|cmd|hook|monitor|askpass|helper|textconv|driver|process|clean|smudge|filter|external|proxy|exec|tool|program|pack|include|browser|path|sshcommand|tunnel|smtpserver$/i;
const RUNNING_OPTION =
  /^--(?:ex(?:ec?)?|ext\w*|op(?:en?)?|open-\w*|upl\w*|upload-p\w*|rece\w*|[\w-]*filter|[\w-]*cmd|[\w-]+hook|smtp-server|sendmail|httpd|browser|setup)(?:-\w*)*(?:=([\s\S]*))?$/;
const RUNNING_LETTER: Readonly<Record<string, string>> = {
  rebase: "x",
  difftool: "x",
  grep: "O",
  clone: "u",
  "ls-remote": "u",
  shell: "c",
  "web--browse": "[bt]",
};

/** The commands inside the arguments of programs that do much else besides running them. */
export function toolInner(name: string, words: readonly string[]): Inner | undefined {
  if (name === "git") return gitInner(words);
  if (name === "find" || /^fd(?:find)?$/.test(name)) return findInner(words);
  if (/^g?make$/.test(name)) return makeInner(words);
  if (name === "ip") return ipInner(words);
  if (name === "hub") return { commands: [{ words: ["git", ...words.slice(1)], sure: true }], scripts: [], unsure: [] };
  if (name === "gh") return clonedByGh(words);
  const setting = settingInner(name, words);
  if (setting) return setting;
  if (/^(?:yarn|pnpm|bun)$/.test(name)) return packageInner(name, words);
  return undefined;
}

/** The command that `ip` runs in a network namespace or a routing domain. Its words may be abbreviated. */
function ipInner(words: readonly string[]): Inner | undefined {
  const at = words.findIndex(
    (word, index) => /^(?:net(?:ns?)?|vr?f?)$/.test(word) && /^ex?e?c?$/.test(words[index + 1] ?? ""),
  );
  if (at < 0) return undefined;
  const rest = words.slice(at + 2);
  // With `-all` there is no name before the command.
  const commands = [rest.slice(1), rest].map((command) => ({ words: command, sure: false }));
  return { commands: commands.filter(({ words: command }) => command.length > 0), scripts: [], unsure: [] };
}

/** The `git clone` that `gh repo clone` runs with the options after `--`. */
function clonedByGh(words: readonly string[]): Inner | undefined {
  const end = words.indexOf("--");
  if (end < 0 || !words.slice(0, end).includes("clone")) return undefined;
  return { commands: [{ words: ["git", "clone", ...words.slice(end + 1)], sure: false }], scripts: [], unsure: [] };
}

function gitInner(words: readonly string[]): Inner {
  const inner: Inner = { commands: [], scripts: [], unsure: [] };
  const found = firstOperand(words, 1, TOOL_OPTIONS.git as OptionTable);
  const set = (key: string, value: string) => setting(key, value, inner);
  for (const { name, value = "" } of found?.options ?? []) {
    if (name === "c") set(value.slice(0, indexOrEnd(value, "=")), value.slice(indexOrEnd(value, "=") + 1));
    if (name === "config-env") set(value, MANY);
    if (name === "exec-path" && value !== "") inner.unsure.push("programs of git in another folder");
  }
  for (const { at } of found?.places ?? []) {
    const command = words[at] ?? "";
    const rest = words.slice(at + 1);
    // The word may be an alias.
    if (command !== "" && !hasGap(command) && !SUBCOMMANDS_OF_GIT.has(command))
      inner.commands.push({ words: ["git", MANY], sure: false });
    if (command === "config") configured(rest, set);
    if (command === "bisect" && rest[0] === "run") inner.commands.push({ words: rest.slice(1), sure: true });
    if (command === "submodule" && rest.includes("foreach")) {
      const inside = rest
        .slice(rest.indexOf("foreach") + 1)
        .filter((word) => !/^(?:-q|--quiet|--recursive)$/.test(word));
      inner.scripts.push({ text: inside.join(" "), sure: true });
    }
    if (command === "remote-ext") runAddress(`ext::${rest[1] ?? ""}`, inner);
    if (command === "hook" && rest[0] === "run") inner.unsure.push("a hook of git");
    if (/^(?:difftool|mergetool)$/.test(command)) toolsOfGit(rest, inner);
    if (command === "for-each-repo") inner.commands.push({ words: ["git", MANY], sure: false });
    optionsThatRun(command, rest, inner, set);
  }
  return inner;
}

/** Adds the program that `--tool` selects to show differences or conflicts. */
function toolsOfGit(rest: readonly string[], inner: Inner): void {
  rest.forEach((word, at) => {
    const [, value] = /^(?:-[a-zA-Z]*?t|--tool=?)([\s\S]*)$/.exec(word) ?? [];
    if (value === undefined || /^-(?:help|-help)/.test(value)) return;
    const tool = value || (rest[at + 1] ?? "");
    if (hasGap(tool)) inner.unsure.push("a tool of git");
    else if (tool !== "") inner.commands.push({ words: [tool.replace(/^=/, ""), MANY], sure: false });
  });
}

function indexOrEnd(text: string, part: string): number {
  const at = text.indexOf(part);
  return at < 0 ? text.length : at;
}

/** Adds what a git setting runs: its value, or an alias as a subcommand. */
function setting(key: string, value: string, inner: Inner): void {
  if (hasGap(key)) inner.unsure.push("a setting of git");
  const address = /^url\.(ext::[\s\S]*)\.(?:push)?insteadof$/i.exec(key)?.[1] ?? value;
  if (isRunAddress(address)) runAddress(address, inner);
  if (!RUNNING_KEY.test(key) && !value.startsWith("!")) return;
  inner.scripts.push({ text: value.replace(/^!/, ""), sure: false });
  if (/^alias\./i.test(key) && value.startsWith("!"))
    inner.commands.push({ words: [...value.slice(1).trim().split(/\s+/), MANY], sure: false });
  else if (/^alias\./i.test(key)) inner.commands.push({ words: ["git", ...value.split(/\s+/), MANY], sure: false });
  if (/^include/i.test(key)) inner.unsure.push("settings of git in another file");
}

/** Whether an address makes git run the command in it. */
function isRunAddress(address: string): boolean {
  return /^ext::/i.test(address);
}

/** Adds the command in such an address. Blanks separate its words; `% ` is a blank within a word. */
function runAddress(address: string, inner: Inner): void {
  const text = address.slice("ext::".length);
  const words = text.match(/(?:%[\s\S]|[^ %])+/g) ?? [];
  inner.commands.push({ words: words.map((word) => word.replace(/%([ %])/g, "$1")), sure: false });
  inner.scripts.push({ text: text.replace(/% /g, " "), sure: false });
}

/** Reads the words of `git config`. Any word like a key may be one, since options take values such as the name of a file. */
function configured(rest: readonly string[], set: (key: string, value: string) => void): void {
  for (const [at, word] of rest.entries()) {
    const value = rest[at + 1];
    const isKey = /^[\w-]+\.[\s\S]/.test(word) || (hasGap(word) && !word.startsWith("-"));
    if (isKey && value !== undefined && !value.startsWith("--")) set(word, value);
  }
}

function optionsThatRun(
  command: string,
  rest: readonly string[],
  inner: Inner,
  set: (key: string, value: string) => void,
): void {
  const letter = Object.hasOwn(RUNNING_LETTER, command) ? RUNNING_LETTER[command] : undefined;
  const short = letter && new RegExp(`^-[a-zA-Z]*?${letter}([\\s\\S]*)$`);
  rest.forEach((word, at) => {
    const next = rest[at + 1] ?? "";
    const long = RUNNING_OPTION.exec(word);
    const bundled = short && !word.startsWith("--") ? new RegExp(short).exec(word) : null;
    if (long) inner.scripts.push({ text: long[1] ?? next, sure: false });
    if (bundled) inner.scripts.push({ text: bundled[1] || next, sure: false });
    const config = command === "clone" ? /^(?:-[a-zA-Z]*c|--con?f?(?:ig?)?=?)([\s\S]*)$/.exec(word) : null;
    const pair = config && (config[1] || next);
    if (pair) set(pair.slice(0, indexOrEnd(pair, "=")), pair.slice(indexOrEnd(pair, "=") + 1));
    if (isRunAddress(word)) runAddress(word, inner);
  });
}

/** The commands that `find -exec` and `fd -x` run, with file names in place of `{}`. */
function findInner(words: readonly string[]): Inner {
  const inner: Inner = { commands: [], scripts: [], unsure: [] };
  // Paths printed by find begin with the folder that it started from.
  const from = words.slice(
    1,
    words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word)),
  );
  const name = from.every((word) => /^[./]/.test(word)) && /find$/.test(words[0] ?? "") ? `./${ONE}` : ONE;
  words.forEach((word, at) => {
    const isFd = !/find$/.test(words[0] ?? "") || /fdfind$/.test(words[0] ?? "");
    const option = isFd ? /^(?:-[a-zA-Z]*?[xX]|--exec(?:-batch)?(?:=|$))([\s\S]*)$/ : /^-(?:exec|execdir|ok|okdir)$/;
    const found = option.exec(word);
    if (!found) return;
    // The program may be attached: `-xcurl`. But such letters may also be a part of another option's value, as in `-exml`.
    const attached = found[1] ? [found[1]] : [];
    const rest = [...attached, ...words.slice(at + 1)];
    const end = rest.findIndex((it, index) => it === ";" || (!isFd && it === "+" && rest[index - 1] === "{}"));
    const command = rest.slice(0, end < 0 ? undefined : end).map((it) => it.replace(/\{[^}]*\}/g, name));
    const sure = attached.length === 0;
    if (inner.commands.length < 8) inner.commands.push({ words: isFd ? [...command, ONE] : command, sure });
    else inner.unsure.push("the many commands of find");
  });
  return inner;
}

/** Package programs run by name, with or without `run`. */
function packageInner(name: string, words: readonly string[]): Inner {
  const places = firstOperand(words, 1, TOOL_OPTIONS[name] ?? optionTable(""))?.places ?? [];
  const starts = places.map(({ at }) => (words[at] === "run" ? at + 1 : at)).filter((at) => !hasGap(words[at] ?? MANY));
  return { commands: starts.map((at) => ({ words: words.slice(at), sure: false })), scripts: [], unsure: [] };
}

/** Makefile rules and variables given as arguments or on standard input. */
function makeInner(words: readonly string[]): Inner {
  const inner: Inner = { commands: [], scripts: [], unsure: [] };
  words.forEach((word, at) => {
    const file = /^(?:-[a-zA-Z]*f|--(?:f\w*|makef\w*)=?)([\s\S]*)$/.exec(word);
    const name = file && (file[1] || (words[at + 1] ?? ""));
    if (name && (/^-$|^\/dev\/|^\/proc\//.test(name) || name.includes(PIPE) || name === MANY || name === ONE))
      inner.unsure.push("the rules that make reads");
    if (/^--ev|^-[a-zA-Z]*E/.test(word)) inner.unsure.push("the rules that make is given");
    const [, key, value] = /^([^-=][^=]*?)[:?+!]{0,3}=([\s\S]*)$/.exec(word) ?? [];
    if (key === undefined || value === undefined) return;
    if (/shell|flags|makefiles/i.test(key) ? hasGap(value) : /\$[({]shell|`/.test(value))
      inner.unsure.push("a variable of make");
    if (key === "MAKE" || steeringOf(`${key}=`) !== undefined)
      inner.commands.push({ words: [...value.split(/\s+/), MANY], sure: false });
    if (/\s|^[!|;&`$]/.test(value)) inner.scripts.push({ text: value.replaceAll("$$", "$"), sure: false });
  });
  return inner;
}
