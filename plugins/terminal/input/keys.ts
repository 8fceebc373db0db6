import { parseKey } from "@mariozechner/pi-tui/dist/keys.js";
import { canonical, keyLabel, keyNamed } from "@scorel/kit/terminal/key-names";
import { type KeyAction, type KeyGroup, type Keys, keyGroups } from "../keys.ts";
import { bindingsOf, type KeySettings } from "./key-config.ts";

const ESC = "\x1b";
/** Names for sequences that pi-tui does not know, or names differently from what they mean in raw mode. */
const sequences: Record<string, string> = {
  "\n": "ctrl+j",
  "\x1f": "ctrl+-",
  "\x1b\r": "alt+enter",
  "\x1b\n": "alt+enter",
  "\x1b[13;2~": "shift+enter",
  "\x1b[13;5~": "ctrl+enter",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
};
/** Final characters of F1, F2 and F4 with the Kitty protocol or modifiers, as in `ESC[1;3P`. */
const functionKeys: Record<string, string> = { P: "f1", Q: "f2", S: "f4" };

/** The name of the key for which the terminal has sent `data`, such as `ctrl+r`; undefined for text and unknown keys. */
export function keyOf(data: string): string | undefined {
  const known = sequences[data] ?? functionKey(data) ?? withAlt(data) ?? parseKey(data);
  return known === undefined ? undefined : canonical(known);
}

/** The name of a key pressed with Alt, which terminals without the Kitty protocol send after an escape character. */
function withAlt(data: string): string | undefined {
  if (!data.startsWith(ESC) || data.length < 2) return undefined;
  const rest = data.slice(1);
  if (/^[A-Z]$/.test(rest)) return `alt+shift+${rest.toLowerCase()}`;
  if (/^[!-~]$/.test(rest)) return `alt+${rest}`;
  const inner = rest.startsWith(`${ESC}[`) || rest.startsWith(`${ESC}O`) ? keyOf(rest) : undefined;
  return inner === undefined ? undefined : `alt+${inner}`;
}

function functionKey(data: string): string | undefined {
  if (!data.startsWith(`${ESC}[`)) return undefined;
  const [, held = "1", final = ""] = /^(?:1;(\d+)(?::[12])?)?([PQS])$/.exec(data.slice(2)) ?? [];
  const key = functionKeys[final];
  if (key === undefined) return undefined;
  const bits = Number(held) - 1;
  const names = ["shift", "alt", "ctrl", "super"].filter((_, bit) => (bits >> bit) & 1);
  return [...names, key].join("+");
}

/** Creates the key bindings from the user's settings, which must be valid (see `flawsOf`). */
export function createKeys(settings: KeySettings = {}): Keys {
  const bindings = bindingsOf(settings);
  const labels = (action: KeyAction) => bindings[action].map(keyLabel);
  const bound = new Set(Object.values(bindings).flat());
  const free = (key: string) => {
    const named = keyNamed(key);
    return typeof named === "string" && !bound.has(named) ? [named] : [];
  };
  let last = { data: "", key: undefined as string | undefined };
  return {
    is(data, action) {
      if (last.data !== data) last = { data, key: keyOf(data) };
      return last.key !== undefined && bindings[action].includes(last.key);
    },
    ofCommand: (name, wanted) => bindings[`/${name}`] ?? wanted.flatMap(free),
    names: (data, key) => keyOf(data) === key,
    label: (action) => labels(action)[0] ?? "",
    labels,
  };
}

/** A row of the help: an action with its keys. */
export interface KeyRow {
  group: KeyGroup;
  action: KeyAction;
  keys: readonly string[];
}

/** All actions with their keys, in the order of the help. */
export function keyRows(keys: Keys): KeyRow[] {
  return (Object.keys(keyGroups) as KeyGroup[]).flatMap((group) =>
    (Object.keys(keyGroups[group]) as KeyAction[]).map((action) => ({ group, action, keys: keys.labels(action) })),
  );
}
