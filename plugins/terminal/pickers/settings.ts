import { everyPage } from "@scorel/host/client";
import type { Setting } from "@scorel/inspect/contract";
import type { Surroundings } from "../parts.ts";
import { shortPath } from "../rows/short-path.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** All settings of a session: the file and line that set each one, or that it is the default, and what it does. */
export function settingPicker(at: PickerPlace & Surroundings, sessionId: string): ListPicker<Setting> {
  const { client, pickerWords: words } = at;
  return new ListPicker<Setting>(at, {
    title: () => words.settingsTitle,
    empty: words.settingsEmpty,
    load: async () => {
      const { settings } = await everyPage((page) => client.request("list_settings", { sessionId, ...page }));
      return settings;
    },
    row: ({ path, value, origin }) => ({
      label: `${path} = ${JSON.stringify(value)}`,
      place: shortPath(origin, at.env.HOME),
    }),
    searched: ({ path, value, origin, about = "" }) => `${path} ${JSON.stringify(value)} ${origin} ${about}`,
    id: ({ path }) => path,
    preview: ({ path, value, origin, locked, about }) =>
      [
        path,
        about,
        JSON.stringify(value, null, 2),
        origin,
        locked && `🔒 ${locked}`,
        words.changeSetting(tomlOf(path, value)),
      ]
        .filter((part) => part !== undefined)
        .join("\n\n"),
  });
}

/** A setting as lines of TOML. */
export function tomlOf(path: string, value: unknown): string {
  const keys = path.split(".");
  const key = keys.pop() as string;
  const table = keys.length === 0 ? "" : `[${keys.map(keyText).join(".")}]\n`;
  return `${table}${keyText(key)} = ${valueText(value)}`;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

/** A value as TOML; a placeholder to fill in for a value that TOML cannot express, such as undefined. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).map(([key, each]) => `${keyText(key)} = ${valueText(each)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return value === undefined || value === null ? "…" : JSON.stringify(value);
}
