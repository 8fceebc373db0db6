import { everyPage } from "@scorel/host/client";
import type { PresetSummary } from "@scorel/inspect/contract";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** The presets for sessions in a directory of the host, with the files of each as the preview. */
export function presetPicker(at: PickerPlace & Surroundings, cwd: string): ListPicker<PresetSummary> {
  const { client, pickerWords: words } = at;
  return new ListPicker<PresetSummary>(at, {
    title: () => words.presetsTitle,
    empty: words.presetsEmpty,
    load: async () => {
      const { presets } = await everyPage((page) => client.request("list_presets", { cwd, ...page }));
      return presets;
    },
    row: ({ name, description, problem }) => ({ label: name, detail: problem?.message ?? description }),
    id: ({ name }) => name,
    preview: ({ name, description, files, problem }) => [name, problem?.message ?? description, ...files].join("\n\n"),
  });
}
