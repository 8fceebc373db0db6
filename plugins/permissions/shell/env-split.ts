import { MANY, ONE } from "./gaps.ts";
import { type OptionTable, readOption } from "./options.ts";

const MAX_TURNS = 8;

/** Replaces option `-S` of env with the words of its text, split as env does, and drops a lone `-`. */
export function withSplitText(words: readonly string[], table: OptionTable): string[] {
  let now = [...words];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const next = splitOnce(now, table);
    if (!next) return now;
    now = next;
  }
  return [now[0] as string, MANY];
}

function splitOnce(words: readonly string[], table: OptionTable): string[] | undefined {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "-") return [...words.slice(0, at), ...words.slice(at + 1)];
    if (word === "--" || (!word.startsWith("-") && !word.includes("="))) return undefined;
    if (!word.startsWith("-")) continue;
    const { options, takes } = readOption(words, at, table);
    const text = options.find(({ name }) => name === "S" || name === "split-string")?.value;
    if (text !== undefined) return [...words.slice(0, at), ...splitAsEnv(text), ...words.slice(at + takes)];
    at += takes - 1;
  }
  return undefined;
}

/** Splits text by env's rules: quotes, comments, `\_` for a blank, `\c` for the end. The value of `${NAME}` is unknown. */
function splitAsEnv(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const add = (more: string) => {
    word = (word ?? "") + more;
  };
  const end = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "\\") {
      const next = text[++at] ?? "";
      if (quote === "'" && !/['\\]/.test(next)) add(char + next);
      else if (next === "c" && quote === "") break;
      else if (next === "_" && quote === "") end();
      else add(next === "_" ? " " : /[fnrtv]/.test(next) ? MANY : next);
    } else if (quote === "" ? /["']/.test(char) : char === quote) {
      quote = quote === "" ? char : "";
      add("");
    } else if (char === "$" && quote !== "'") {
      add(ONE);
      at += (/^\{[^}]*\}/.exec(text.slice(at + 1))?.[0] ?? "").length;
    } else if (quote === "" && /\s/.test(char)) end();
    else if (quote === "" && char === "#" && word === undefined) break;
    else add(char);
  }
  end();
  return words;
}
