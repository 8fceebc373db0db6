import { withSplitText } from "./env-split.ts";
import { hasGap, MANY } from "./gaps.ts";
import { firstOperand, type OptionTable, type OptionWord, readOption } from "./options.ts";
import { PACKAGE, PLAIN, type Runner, runnerOf, runningSubcommands, WITH_OPERAND } from "./runner-tables.ts";
import { TOOL_OPTIONS } from "./subcommands.ts";

/** The commands and scripts inside a command's arguments. */
export interface Inner {
  commands: { words: string[]; sure: boolean }[];
  scripts: { text: string; sure: boolean }[];
  unsure: string[];
  /** Whether it runs commands from standard input. */
  reads?: boolean;
}

/** The command inside another command's arguments, if the program is known to run its arguments. */
export function innerOf(name: string, words: readonly string[]): Inner | undefined {
  if (name === "command" && /^-p*[vV]/.test(words[1] ?? "")) return { commands: [], scripts: [], unsure: [] };
  const subcommand = runningSubcommands(name);
  if (subcommand) return innerOfTool(name, words, subcommand);
  const known = runnerOf(name);
  return known && innerWords(known, /^g?env$/.test(name) ? withSplitText(words, known.options) : words, 1, name);
}

function innerOfTool(name: string, words: readonly string[], subcommand: RegExp): Inner | undefined {
  const table = Object.hasOwn(TOOL_OPTIONS, name) ? (TOOL_OPTIONS[name] as OptionTable) : PLAIN.options;
  const places = firstOperand(words, 1, table)?.places ?? [];
  const found = places.find(({ at }) => subcommand.test(words[at] ?? "") || hasGap(words[at] ?? ""));
  return found && innerWords(PACKAGE, words, words[found.at] === "tool" ? found.at + 2 : found.at + 1, "");
}

function innerWords(
  { options, scripts, before, assigns, joined, reads }: Runner,
  words: readonly string[],
  from: number,
  name: string,
): Inner {
  const inner: Inner = { commands: [], scripts: scriptsOf(words, options, scripts), unsure: [] };
  const found = firstOperand(words, from, options, assigns ? (word) => word.includes("=") : undefined);
  if (!found) return { ...inner, unsure: [`the many options of ${words[0]}`] };
  for (const { at, sure } of found.places) {
    const start = at + before;
    if (words.slice(1, start).some((word) => word.includes(MANY))) inner.unsure.push(`the words of ${words[0]}`);
    if (name === "xargs" && start >= words.length) continue; // xargs without a command prints its input.
    const isFed = name === "xargs" || name === "parallel";
    const rest = isFed ? withInput(name, words.slice(start), found.options) : words.slice(start);
    const isShell = rest.length <= (WITH_OPERAND.test(name) ? 1 : 0) && name !== "entr";
    if (isShell && reads && inner.scripts.length === 0) inner.reads = true;
    else if (rest.length > 0 && joined)
      for (const text of joined === "each" ? rest : [rest.join(" ")]) inner.scripts.push({ text, sure });
    if (rest.length > 0) inner.commands.push({ words: rest, sure });
  }
  return inner;
}

/** The values of options that contain scripts. */
function scriptsOf(words: readonly string[], options: OptionTable, names: readonly string[]): Inner["scripts"] {
  if (names.length === 0) return [];
  const scripts: Inner["scripts"] = [];
  const known: OptionTable = {
    ...options,
    valued: new Set([...options.valued, ...names]),
    long: [...options.long, ...names],
  };
  for (let at = 1; at < words.length; at++) {
    if (!words[at]?.startsWith("-")) continue;
    for (const { name, value } of readOption(words, at, known).options)
      if (names.includes(name) && value !== undefined)
        scripts.push({ text: value.replace(/^\w*(?:command|exec)[\s=]+/i, ""), sure: true });
  }
  return scripts;
}

/** The arguments with a gap wherever text from standard input or from after `:::` is inserted. */
function withInput(name: string, words: readonly string[], options: OptionWord["options"]): string[] {
  if (name === "parallel") {
    const end = words.findIndex((word) => word.startsWith(":::"));
    return [...words.slice(0, end < 0 ? undefined : end).map((word) => word.replace(/\{[^}]*\}/g, MANY)), MANY];
  }
  const replacing = options.filter((option) => /^(?:[IJi]|replace)$/.test(option.name));
  if (replacing.length === 0) return [...words, MANY];
  const marks = replacing.map(({ value }) => value || "{}");
  if (marks.some(hasGap)) return [MANY];
  return words.map((word) => marks.reduce((text, mark) => text.replaceAll(mark, MANY), word));
}
