import { flawOfKey, keyLabel, keyNamed } from "@scorel/kit/terminal/key-names";
import { nearest } from "@scorel/kit/values/nearest";
import { z } from "zod";
import { defaultKeys, type KeyAction, type KeyGroup, keyGroups } from "../keys.ts";

/** A slash command as it is typed: `/undo`. */
type Command = `/${string}`;
/** The names that keys can be bound to. */
type Name = KeyAction | Command;
/** The keys of all actions, and the keys that the user has set for commands, in canonical form. */
export type Bindings = Record<KeyAction, readonly string[]> & Partial<Record<Command, readonly string[]>>;
/** The table `[terminal.keys]`: one or more keys for each action or command; an empty list removes its keys. */
export type KeySettings = { [N in Name]?: string | string[] | undefined };

const actions = Object.keys(defaultKeys) as KeyAction[];
/** Actions that always need a key: without them, one could not send, interrupt, choose or leave a list. */
const needed: readonly KeyAction[] = ["send", "interrupt", "choose", "cancel"];
/** Groups of names that are active at the same time, so that no two may share a key. Pages and ends also apply to lists. */
const together = (settings: KeySettings): readonly (readonly Name[])[] => [
  [...actionsOf("writing", "editing", "reading", "choosing", "going"), ...commandsIn(settings)],
  [...actionsOf("lists"), "pageUp", "pageDown", "top", "bottom", "help"],
];
/** Actions that may share a key, since only one of them applies at a time: `leave` applies when there is nothing to delete. */
const shared: readonly (readonly Name[])[] = [["deleteForward", "leave"]];

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

/** The errors in the settings: unknown actions and keys; if there are none, clashes and needed actions without keys. */
export function flawsOf(settings: Record<string, string | string[]>): Flaw[] {
  const flaws = Object.entries(settings).flatMap(([action, keys]) => flawsOfOne(action, [keys].flat()));
  return flaws.length > 0 ? flaws : clashes(settings as KeySettings);
}

function flawsOfOne(action: string, keys: readonly string[]): Flaw[] {
  if (!isAction(action) && !isCommand(action)) {
    const near = nearest(action, actions);
    const meant =
      near === undefined
        ? `the actions are ${actions.join(", ")}; commands are written "/name"`
        : `did you mean "${near}"?`;
    return [{ path: [action], message: `there is no action "${action}" that a key can be set for; ${meant}` }];
  }
  return keys.flatMap((key) => {
    const message = flawOfKey(key);
    return message === undefined ? [] : [{ path: [action], message }];
  });
}

function clashes(settings: KeySettings): Flaw[] {
  const bindings = bindingsOf(settings);
  const twice = together(settings).flatMap((group) =>
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

function sameKey(action: Name, other: Name, bindings: Bindings): Flaw[] {
  const key = bindings[action]?.find((each) => bindings[other]?.includes(each));
  if (key === undefined) return [];
  return [
    { path: [action], message: `${keyLabel(key)} is also the key of "${other}"; assign another key to one of them` },
  ];
}

/** Flaws of an action without keys: it has lost its default keys to others, or it is needed and the settings remove its keys. */
function keyless(action: KeyAction, settings: KeySettings): Flaw[] {
  if (settings[action] !== undefined)
    return needed.includes(action) ? [{ path: [action], message: `"${action}" needs at least one key` }] : [];
  const taker = namesIn(settings).find((other) =>
    keysOf(settings[other]).some((key) => defaultKeys[action].includes(key)),
  );
  const lost = `"${action}" has no other key than ${defaultKeys[action].map(keyLabel).join(" and ")}`;
  return [{ path: [taker ?? action], message: `${lost}; give "${action}" a key, too` }];
}

/** The keys of each action: from the settings, else those default keys that the settings do not use for something else. */
export function bindingsOf(settings: KeySettings = {}): Bindings {
  const rows = actions.map((action) => {
    if (settings[action] !== undefined) return [action, keysOf(settings[action])];
    const others = together(settings).filter((group) => group.includes(action));
    const taken = new Set(others.flat().flatMap((other) => keysOf(settings[other])));
    return [action, defaultKeys[action].filter((key) => !taken.has(key))];
  });
  const ofCommands = commandsIn(settings).map((name) => [name, keysOf(settings[name])]);
  return Object.fromEntries([...rows, ...ofCommands]) as Bindings;
}

function commandsIn(settings: KeySettings): Command[] {
  return Object.keys(settings).filter(isCommand);
}

function namesIn(settings: KeySettings): Name[] {
  return [...actions, ...commandsIn(settings)];
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

function isCommand(name: string): name is Command {
  return /^\/\S+$/.test(name);
}

function isAction(name: string): name is KeyAction {
  return Object.hasOwn(defaultKeys, name);
}
