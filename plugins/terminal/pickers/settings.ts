import { everyPage } from "@scorel/host/client";
import type { Setting } from "@scorel/inspect/contract";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** All settings of a session with the file and line that set each, or that it is the default, and what each does. */
export function settingPicker(at: PickerPlace & Surroundings, sessionId: string): ListPicker<Setting> {
  const { client, pickerWords: words } = at;
  return new ListPicker<Setting>(at, {
    title: () => words.settingsTitle,
    empty: words.settingsEmpty,
    load: async () => {
      const { settings } = await everyPage((page) => client.request("list_settings", { sessionId, ...page }));
      return settings;
    },
    row: ({ path, value, origin }) => ({ label: `${path} = ${JSON.stringify(value)}`, detail: origin }),
    searched: ({ path, value, origin, about = "" }) => `${path} ${JSON.stringify(value)} ${origin} ${about}`,
    id: ({ path }) => path,
    preview: ({ path, value, origin, locked, about }) =>
      [path, about, JSON.stringify(value, null, 2), origin, locked && `🔒 ${locked}`]
        .filter((part) => part !== undefined)
        .join("\n\n"),
  });
}
