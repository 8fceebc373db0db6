import { caseless, type Text } from "../rules/pattern.ts";
import type { Possible } from "../rules/possible.ts";
import { hasGap, mayVanish } from "./gaps.ts";
import { bareName } from "./hazards.ts";
import { readOption } from "./options.ts";
import { synonymsOf, TOOL_OPTIONS } from "./subcommands.ts";
import { spelled } from "./words.ts";

/** How many words may be skipped at a position, as options that the rule does not name. */
interface Skip {
  words: 1 | 2;
  sure: boolean;
}

/** All the ways in which a rule might describe a command. */
export function textsFor({ words, assignments, redirects, anywhere }: Possible): Text[] {
  if (anywhere) return [{ ...textOf(words, () => []), anywhere: true }];
  const [first = ""] = words;
  const bare = [bareName(first), ...words.slice(1)];
  const whole = [...assignments, ...words.map((word) => (hasGap(word) ? word : spelled(word))), ...redirects];
  const ordered = optionsFirst(bare);
  const forms = [words, ...(bare[0] === first ? [] : [bare]), ...synonymsOf(bare[0] as string, bare)];
  return [
    ...forms.filter(({ length }) => length > 0).map((form) => textOf(form, skipsIn(form))),
    // In these forms nothing may be skipped, so an option can stand before a word that is not its value.
    ...[...(ordered ? [ordered] : []), whole, ...assignments.map((it) => [it]), ...redirects.map((it) => [it])].map(
      (it) => textOf(it, () => []),
    ),
  ];
}

/** Joins words into a text, with the positions where words begin or may be skipped, as indexes into `chars`. */
export function textOf(given: readonly string[], skipsAt: (at: number) => Skip[]): Text {
  const words = given.map(caseless);
  const chars = words.join(" ");
  const jumps: Text["jumps"] = new Map();
  const ends: number[] = [];
  let length = 0;
  for (const word of words) {
    length += word.length;
    ends.push(length++);
  }
  const starts = [0];
  for (let at = 0; at < words.length; at++) {
    for (const { words: count, sure } of skipsAt(at)) {
      const to = ends[at + count - 1];
      if (to === undefined) continue;
      if (at === 0) starts.push(to + 1);
      else {
        const from = ends[at - 1] as number;
        jumps.set(from, [...(jumps.get(from) ?? []), { to, sure }]);
      }
    }
  }
  return { chars, jumps, starts, anywhere: false };
}

function skipsIn(words: readonly string[]): (at: number) => Skip[] {
  const table = TOOL_OPTIONS[bareName(words[0] ?? "")];
  let isBefore = table !== undefined;
  let isOver = false;
  let isValue = false;
  return (at) => {
    const word = words[at] as string;
    if (mayVanish(word)) return [{ words: 1, sure: false }];
    // `cargo +nightly` selects a toolchain.
    if (at === 1 && words[0] === "cargo" && word.startsWith("+")) return [{ words: 1, sure: true }];
    if (isValue || isOver || at === 0 || !/^-./.test(word)) {
      if (at > 0 && !isValue) isBefore = false;
      isValue = false;
      return [];
    }
    if (word === "--") {
      isOver = true;
      return [{ words: 1, sure: false }];
    }
    const read = isBefore && table ? readOption(words, at, table) : undefined;
    if (!read?.known)
      return [{ words: 1, sure: false }, ...(word.includes("=") ? [] : [{ words: 2, sure: false } as const])];
    isValue = read.takes === 2;
    return [{ words: read.takes, sure: true }];
  };
}

/** Reorders a command so that options come before operands; undefined when they already do. */
function optionsFirst(words: readonly string[]): string[] | undefined {
  const isOption = (word: string) => /^-./.test(word);
  const from = words.findIndex((word, at) => at > 0 && !isOption(word));
  if (from < 0 || !words.slice(from).some(isOption)) return undefined;
  const rest = words.slice(from + 1);
  return [
    words[0] as string,
    words[from] as string,
    ...words.slice(1, from),
    ...rest.filter(isOption),
    ...rest.filter((it) => !isOption(it)),
  ];
}
