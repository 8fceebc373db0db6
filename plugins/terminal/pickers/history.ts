import type { Sent } from "../input/history.ts";
import type { HistoryWalk } from "../input/history-walk.ts";
import { markOf } from "../input/line-mode.ts";
import type { FieldMode } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** The texts that were sent in this project, the newest first, with their marks. From a command or shell line, only texts of that mode. */
export function historyPicker(at: PickerPlace, walk: HistoryWalk, mode: FieldMode): ListPicker<Sent> {
  const { pickerWords: words } = at;
  const marked = ({ mode, text, silent }: Sent) => markOf(mode, silent) + text;
  return new ListPicker<Sent>(at, {
    title: () => words.historyTitle,
    empty: words.historyEmpty,
    load: () => walk.entriesOf(mode),
    row: (sent) => ({ label: marked(sent) }),
    id: marked,
    preview: marked,
  });
}
