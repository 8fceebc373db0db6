import type { TreeRow } from "@scorel/history/contract";
import { type Branch, branchesOf } from "@scorel/kit/session/branches";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";
import { ago } from "./sessions.ts";

const MOST = 5_000;

/** The user's messages in all branches, as a tree. Choosing one switches to the end of its latest branch. */
export function branchPicker(
  at: PickerPlace & Surroundings,
  sessionId: string,
  now = Date.now,
): ListPicker<Branch<TreeRow>> {
  const { client, pickerWords: words } = at;
  return new ListPicker<Branch<TreeRow>>(at, {
    title: () => words.branchesTitle,
    empty: words.branchesEmpty,
    load: async () => {
      const { rows, leafCount } = await client.request("get_tree", { sessionId, show: "tree", limit: MOST });
      return leafCount > 1 ? branchesOf(rows) : [];
    },
    row: ({ row, depth, active }) => ({
      label: `${"  ".repeat(depth)}${row.text}`,
      detail: ago(row.ts, now(), words),
      isCurrent: active,
    }),
    id: ({ row }) => row.id,
    preview: ({ row, reply }) => (reply ? `${row.text}\n\n${reply.text}` : row.text),
  });
}
