/** The names of keys in settings and on the screen. No terminal library is needed for them. */

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

/** Why a text names no key that an action can be bound to. */
export type KeyFlaw = { unknown: string } | { types: string };

/**
 * The one form of a key's name, such as `ctrl+alt+p`; `Ctrl-Alt-P` and `alt+ctrl+p` name the same key. Keys that type a character are
 * refused, since that character could not be typed any more.
 */
export function keyNamed(text: string): string | KeyFlaw {
  const name = canonical(text);
  if (name === undefined) return { unknown: text };
  return /^(?:shift\+)?(?:.|space)$/u.test(name) ? { types: text } : name;
}

/** The one form of a name; undefined if it names no key. */
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

/** A key as people write it: `Ctrl-R`, `Alt-Up`, `F1`. */
export function keyLabel(name: string): string {
  const parts = name === "+" || name.endsWith("++") ? [...name.slice(0, -2).split("+"), "+"] : name.split("+");
  return parts.map((part) => written[part] ?? part.charAt(0).toUpperCase() + part.slice(1)).join("-");
}
