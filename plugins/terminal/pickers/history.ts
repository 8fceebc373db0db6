import type { HistoryWalk } from "../input/history-walk.ts";
import type { FieldMode } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** What was sent in this project, the newest first. In a command or shell line it lists those of its kind. */
export function historyPicker(at: PickerPlace, walk: HistoryWalk, mode: FieldMode): ListPicker<string> {
  const { pickerWords: words } = at;
  return new ListPicker<string>(at, {
    title: () => words.historyTitle,
    empty: words.historyEmpty,
    load: () => walk.textsOf(mode),
    row: (text) => ({ label: text }),
    id: (text) => text,
    preview: (text) => text,
  });
}
