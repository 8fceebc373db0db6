import { nearest } from "@scorel/kit/values/nearest";
import { z } from "zod";
import { defaultKeys, type KeyAction, type KeyGroup, keyGroups } from "../keys.ts";
import { keyLabel, keyNamed } from "./key-names.ts";

/** The keys of all actions, by action, each in its one form. */
export type Bindings = Record<KeyAction, readonly string[]>;
/** The table `[terminal.keys]`: a key or several for each action; an empty list takes its keys away. */
export type KeySettings = { [A in KeyAction]?: string | string[] | undefined };

const actions = Object.keys(defaultKeys) as KeyAction[];
/** Without them, one could neither write, nor stop what runs, nor leave a list. */
const needed: readonly KeyAction[] = ["send", "interrupt", "choose", "cancel"];
/** Groups whose actions are used at the same time. Pages and ends are also those of lists. */
const together: readonly (readonly KeyAction[])[] = [
  actionsOf("writing", "editing", "reading", "choosing", "going"),
  [...actionsOf("lists"), "pageUp", "pageDown", "top", "bottom", "help"],
];
/** Actions that may have one key, since only one of them applies: one leaves when there is nothing to delete. */
const shared: readonly (readonly KeyAction[])[] = [["deleteForward", "leave"]];

/** Schema of the table `[terminal.keys]`. */
export const keySettings = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .superRefine((settings, context) => {
    for (const { path, message } of flawsOf(settings)) context.addIssue({ code: "custom", path, message });
  })
  .transform((settings) => settings as KeySettings);

interface Flaw {
  path: string[];
  message: string;
}

/** What is wrong with the settings: unknown actions and keys first, then clashes. */
export function flawsOf(settings: Record<string, string | string[]>): Flaw[] {
  const flaws = Object.entries(settings).flatMap(([action, keys]) => flawsOfOne(action, [keys].flat()));
  return flaws.length > 0 ? flaws : clashes(settings as KeySettings);
}

function flawsOfOne(action: string, keys: readonly string[]): Flaw[] {
  if (!isAction(action)) {
    const near = nearest(action, actions);
    const meant = near === undefined ? `the actions are ${actions.join(", ")}` : `did you mean "${near}"?`;
    return [{ path: [action], message: `there is no action "${action}" that a key can be set for; ${meant}` }];
  }
  return keys.flatMap((key) => {
    const named = keyNamed(key);
    if (typeof named === "string") return [];
    const message =
      "unknown" in named
        ? `"${key}" is no key; write keys like "ctrl+r", "alt+enter", "shift+tab" or "f2"`
        : `"${key}" types a character, which could then not be written; add ctrl or alt, as in "alt+${key.slice(-1)}"`;
    return [{ path: [action], message }];
  });
}

function clashes(settings: KeySettings): Flaw[] {
  const bindings = bindingsOf(settings);
  const twice = together.flatMap((group) =>
    group.flatMap((action, index) =>
      group
        .slice(0, index)
        .filter((other) => !shared.some((pair) => pair.includes(action) && pair.includes(other)))
        .flatMap((other) => sameKey(action, other, bindings)),
    ),
  );
  if (twice.length > 0) return twice;
  return actions.filter((action) => bindings[action].length === 0).flatMap((action) => keyless(action, settings));
}

function sameKey(action: KeyAction, other: KeyAction, bindings: Bindings): Flaw[] {
  const key = bindings[action].find((each) => bindings[other].includes(each));
  if (key === undefined) return [];
  return [{ path: [action], message: `${keyLabel(key)} is also the key of "${other}"; give one of them another key` }];
}

/** An action has lost its default keys to others, or a person has taken the keys of one that is always needed. */
function keyless(action: KeyAction, settings: KeySettings): Flaw[] {
  if (settings[action] !== undefined)
    return needed.includes(action) ? [{ path: [action], message: `"${action}" needs at least one key` }] : [];
  const taker = actions.find((other) => keysOf(settings[other]).some((key) => defaultKeys[action].includes(key)));
  const lost = `"${action}" has no other key than ${defaultKeys[action].map(keyLabel).join(" and ")}`;
  return [{ path: [taker ?? action], message: `${lost}; give "${action}" a key, too` }];
}

/** The keys of each action: those of the settings, else the default keys that the settings do not use for something else. */
export function bindingsOf(settings: KeySettings = {}): Bindings {
  const rows = actions.map((action) => {
    if (settings[action] !== undefined) return [action, keysOf(settings[action])];
    const others = together.filter((group) => group.includes(action)).flat();
    const taken = new Set(others.flatMap((other) => keysOf(settings[other])));
    return [action, defaultKeys[action].filter((key) => !taken.has(key))];
  });
  return Object.fromEntries(rows) as Bindings;
}

function keysOf(setting: string | readonly string[] | undefined): string[] {
  return [setting ?? []]
    .flat()
    .map(keyNamed)
    .filter((key) => typeof key === "string");
}

function actionsOf(...groups: readonly KeyGroup[]): KeyAction[] {
  return groups.flatMap((group) => Object.keys(keyGroups[group]) as KeyAction[]);
}

function isAction(name: string): name is KeyAction {
  return Object.hasOwn(defaultKeys, name);
}
