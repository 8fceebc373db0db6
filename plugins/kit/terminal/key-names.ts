/** The names of keys in settings and on the screen. Does not need the terminal library, so that it loads fast. */

const modifiers = ["ctrl", "alt", "shift", "super"] as const;
const modifierNames: Record<string, string> = { control: "ctrl", option: "alt", meta: "alt", opt: "alt", cmd: "super" };
const special = [
  ..."escape enter tab space backspace delete insert home end pageUp pageDown up down left right".split(" "),
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
];
const aliases: Record<string, string> = {
  esc: "escape",
  return: "enter",
  pgup: "pageUp",
  pgdn: "pageDown",
  del: "delete",
};
const written: Record<string, string> = { escape: "Esc", pageUp: "PageUp", pageDown: "PageDown" };

/** Why a name is no key that an action can be bound to: it is unknown, or the key types a character. */
export type KeyFlaw = { unknown: string } | { types: string };

/**
 * The canonical form of a key's name, such as `ctrl+alt+p` for `Ctrl-Alt-P` and `alt+ctrl+p`. Keys that type a character are refused,
 * since that character could then not be typed.
 */
export function keyNamed(text: string): string | KeyFlaw {
  const name = canonical(text);
  if (name === undefined) return { unknown: text };
  return /^(?:shift\+)?(?:.|space)$/u.test(name) ? { types: text } : name;
}

/** Why a name is no key that something can be bound to, with names that are; undefined if it is one. */
export function flawOfKey(key: string): string | undefined {
  const named = keyNamed(key);
  if (typeof named === "string") return undefined;
  return "unknown" in named
    ? `"${key}" is not a key; write keys like "ctrl+r", "alt+enter", "shift+tab" or "f2", with the modifiers ${modifiers.join(", ")}`
    : `"${key}" types a character, which could then not be written; add ctrl or alt, as in "alt+${key.slice(-1)}"`;
}

/** The canonical form of a key's name; undefined if it names no key. */
export function canonical(text: string): string | undefined {
  const [, before = "", last = ""] = /^((?:[A-Za-z]+[-+])*)(.|[A-Za-z]\w+)$/u.exec(text.trim()) ?? [];
  const key = baseKey(last);
  const held = before.split(/[-+]/).filter(Boolean).map(modifier);
  if (key === undefined || held.includes(undefined) || new Set(held).size < held.length) return undefined;
  return [...modifiers.filter((each) => held.includes(each)), key].join("+");
}

function modifier(word: string): string | undefined {
  const lower = word.toLowerCase();
  return modifiers.find((each) => each === (modifierNames[lower] ?? lower));
}

function baseKey(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (/^[!-~]$/.test(text)) return lower;
  return special.find((each) => each.toLowerCase() === (aliases[lower] ?? lower).toLowerCase());
}

/** The label of a key on the screen: `Ctrl-R`, `Alt-Up`, `F1`. */
export function keyLabel(name: string): string {
  const parts = name === "+" || name.endsWith("++") ? [...name.slice(0, -2).split("+"), "+"] : name.split("+");
  return parts.map((part) => written[part] ?? part.charAt(0).toUpperCase() + part.slice(1)).join("-");
}
