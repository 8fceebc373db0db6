import { textOf } from "../shell/command-texts.ts";
import { hasGap } from "../shell/gaps.ts";
import { bareName } from "../shell/hazards.ts";
import { firstOperand } from "../shell/options.ts";
import { TOOL_OPTIONS } from "../shell/subcommands.ts";
import type { Text } from "./pattern.ts";
import type { Possible } from "./possible.ts";

/**
 * Options that mean the same or include each other, where their first letters differ. Otherwise an option's first
 * letter, in either case, counts as its short form.
 */
const SAME: Readonly<Record<string, readonly string[]>> = {
  cp: ["r recursive a archive", "l link", "s symbolic-link"],
  rsync: ["r recursive a archive"],
  curl: ["x request"],
  tar: ["x extract get"],
  npm: ["g global location"],
  "git push": ["f force mirror", "u set-upstream", "d delete mirror prune"],
  "git branch": ["d delete", "f force d m c"],
  "git checkout": ["b b orphan"],
  "git switch": ["c create force-create orphan", "f force discard-changes"],
};
const KILLING = /^(?:kill|pkill|killall)$/;

/**
 * Rewrites a command in the order and spelling of a rule that names options or a mode of chmod, if it has all of them:
 * `rm -f -R x` for `rm -rf *`, or `git push origin +main` for `git push --force *`. One text for each possible start of the
 * command.
 */
export function rewrittenForRule(rule: string, { words, anywhere }: Possible): Text[] {
  const said = rule.split(" ");
  const last = said.findLastIndex((word) => /^-[\w-]/.test(word));
  const name = said[0] as string;
  // A mode of chmod has several spellings, too, although it is not an option.
  if (last < 1 && name !== "chmod") return [];
  // After its last option, a rule may continue with a value, or with words that the command has elsewhere.
  let end = last + 1;
  while (said[end] && !said[end]?.includes("*")) end++;
  const wanted = said.slice(1, end).map((word) => word.replace(/\*$/, ""));
  const letters = wanted
    .flatMap((_word, at) => (/^-[A-Za-z]$/.test(wanted[at - 1] ?? "") ? [wanted[at - 1]?.[1]] : []))
    .join("");
  const starts = anywhere ? words.flatMap((word, at) => (bareName(word) === name ? [at] : [])).slice(0, 8) : [0];
  return starts.flatMap((at) => {
    const command = words.slice(at);
    if (bareName(command[0] ?? "") !== name) return [];
    return formsOf(name, command, letters).flatMap((form) => reordered(name, wanted, form) ?? []);
  });
}

/** Variants of a command: as is, without options before the subcommand, and with values separated from options. */
function formsOf(name: string, words: readonly string[], letters: string): (readonly string[])[] {
  const table = Object.hasOwn(TOOL_OPTIONS, name) ? TOOL_OPTIONS[name] : undefined;
  const places = table ? (firstOperand(words, 1, table)?.places.slice(0, 3) ?? []) : [];
  const plain = [words, ...places.filter(({ at }) => at > 1).map(({ at }) => [name, ...words.slice(at)])];
  return plain.flatMap((form) => {
    const normal = form.flatMap((word, at) => (at === 0 ? [word] : inOneSpelling(name, word, form[at - 1] as string)));
    const apart = normal.flatMap((word, at) => (at === 0 ? [word] : withoutValue(word, letters)));
    return apart.length === normal.length ? [normal] : [normal, apart];
  });
}

/** Normalises signals for kill and modes for chmod. */
function inOneSpelling(name: string, word: string, before: string): string[] {
  if (KILLING.test(name)) {
    if (/^(?:-s|-n|--signal)$/.test(word)) return [];
    if (/^(?:-|--signal=|-s=?)(?:SIG)?(?:KILL|9)$/i.test(word)) return ["-9"];
    if (/^(?:-s|-n|--signal)$/.test(before) && /^(?:SIG)?(?:KILL|9)$/i.test(word)) return ["-9"];
  }
  if (name === "chmod") {
    if (/^(?:a|ugo)?[+=](?=[rwx]{3}$)(?=.*r)(?=.*w)(?=.*x)/.test(word)) return ["777"];
    if (/^0+\d{3,4}$/.test(word)) return [word.replace(/^0+(?=\d{3})/, "")];
  }
  return [word];
}

/** `letters` are the short options to which the rule gives values. */
function withoutValue(word: string, letters: string): string[] {
  const [, name, value] =
    /^(--[^=]+)=([\s\S]+)$/.exec(word) ??
    (letters === "" ? null : new RegExp(`^(-[A-Za-z]*?[${letters}])([^-][\\s\\S]*)$`).exec(word)) ??
    [];
  return name !== undefined && value !== undefined ? [name, value] : [word];
}

function reordered(name: string, wanted: readonly string[], words: readonly string[]): Text | undefined {
  const end = words.indexOf("--");
  const given = words.slice(1, end < 0 ? undefined : end).filter((word) => /^-./.test(word));
  const operands = words.slice(1).filter((word, at) => !/^-./.test(word) || (end >= 0 && at + 1 > end));
  const same = [...(SAME[name] ?? []), ...(SAME[`${name} ${operands[0]}`] ?? [])].map((group) => group.split(" "));
  const options = [...given.map((option) => option.toLowerCase()), ...impliedBy(name, operands)];
  const isGiven = (option: string) => {
    const key = option.replace(/^--?/, "").toLowerCase();
    const keys = option.startsWith("--") ? [key] : [...key];
    return keys.every((one) => {
      const others = same.filter((group) => group.includes(one)).flat();
      return [one, ...others].some((other) => options.some((it) => includesOption(it, other)));
    });
  };
  if (!wanted.every((word) => !word.startsWith("-") || isGiven(word))) return undefined;
  const left = [...operands];
  const placed = wanted.map((word) => {
    if (word.startsWith("-")) return word;
    const at = left.findIndex((operand) => operand.toLowerCase() === word.toLowerCase());
    return left.splice(Math.max(at, 0), 1)[0] ?? "";
  });
  return textOf([name, ...placed, ...left], () => []);
}

/** Whether an option word, in lower case, includes this letter or name. */
function includesOption(word: string, option: string): boolean {
  if (hasGap(word)) return true;
  if (!word.startsWith("--"))
    return option.length === 1 ? word.includes(option, 1) : word.includes(option[0] as string, 1);
  const name = (/^--([^=]*)/.exec(word)?.[1] ?? "").replace(/^-*/, "");
  return name !== "" && (option.length === 1 ? name.startsWith(option) : option.startsWith(name) || name === option);
}

/** Options implied by refspecs: `git push origin +main` forces, `:main` deletes. */
function impliedBy(name: string, operands: readonly string[]): string[] {
  if (name !== "git" || operands[0] !== "push") return [];
  return operands.flatMap((word) => [
    ...(/^\+/.test(word) ? ["--force"] : []),
    ...(/^\+?:./.test(word) ? ["--delete"] : []),
  ]);
}
