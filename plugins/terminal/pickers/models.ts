import type {} from "@scorel/commands/contract";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

const LINE = "/model ";

/** The models that `/model` knows, the configured ones among them. */
export function modelPicker(at: PickerPlace & Surroundings, sessionId: string): ListPicker<string> {
  const { client, pickerWords: words } = at;
  const current = at.status?.model;
  return new ListPicker<string>(at, {
    title: () => words.modelsTitle,
    empty: words.modelsEmpty,
    load: async () => (await client.request("complete_command", { sessionId, line: LINE })).values,
    row: (model) => ({ label: model, ...(model === current && { isCurrent: true, detail: words.current }) }),
    id: (model) => model,
  });
}
