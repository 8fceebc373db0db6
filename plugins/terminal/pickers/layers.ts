import type { LayersService, PresetSummary, Setting } from "@scorel/inspect/contract";
import { messageOf } from "@scorel/kit/values/coded-error";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** The presets; the files of each stand beside the list. */
export function presetPicker(at: PickerPlace, layers: LayersService): ListPicker<PresetSummary> {
  const { pickerWords: words } = at;
  return new ListPicker<PresetSummary>(at, {
    title: () => words.presetsTitle,
    empty: words.presetsEmpty,
    load: () => layers.presets(),
    row: ({ name, description, problem }) => ({ label: name, detail: problem ? problem.message : description }),
    id: ({ name }) => name,
    preview: ({ name, description, files, problem }) =>
      [name, problem ? messageOf(new Error(problem.message)) : description, ...files].join("\n\n"),
  });
}

/** All settings with the file and line that set each, or that it is the default. */
export function settingPicker(at: PickerPlace, layers: LayersService): ListPicker<Setting> {
  const { pickerWords: words } = at;
  return new ListPicker<Setting>(at, {
    title: () => words.settingsTitle,
    empty: words.settingsEmpty,
    load: async () => (await layers.config()).settings,
    row: ({ path, value, origin }) => ({ label: `${path} = ${JSON.stringify(value)}`, detail: origin }),
    id: ({ path }) => path,
    preview: ({ path, value, origin, locked }) =>
      [path, JSON.stringify(value, null, 2), origin, ...(locked === undefined ? [] : [`🔒 ${locked}`])].join("\n\n"),
  });
}
