import type { TreeRow } from "@scorel/history/contract";
import { type Branch, branchesOf } from "@scorel/kit/session/branches";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";
import { ago } from "./sessions.ts";
import { wholeTree } from "./whole-tree.ts";

/**
 * The parts of the conversation between branch points, as a tree, beginning with the present one. Choosing a part switches to the end of its
 * latest branch.
 */
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
      const { rows, leafCount } = await wholeTree(client, sessionId, "tree");
      return leafCount > 1 ? branchesOf(rows) : [];
    },
    row: ({ rows, depth, active }) => ({
      label: `${"  ".repeat(depth)}${rows[0].text}`,
      detail: [
        ...(rows.length > 1 ? [words.messages(rows.length)] : []),
        ago((rows.at(-1) ?? rows[0]).ts, now(), words),
      ],
      isCurrent: active,
    }),
    id: ({ rows }) => rows[0].id,
    searched: ({ rows, reply }) => [...rows, ...(reply ? [reply] : [])].map(({ text }) => text).join("\n"),
    startsAt: ({ current }) => current,
    preview: ({ rows, reply }) =>
      [rows[0].text, ...endOf(rows), ...(reply && reply !== rows[0] ? [reply.text] : [])].join("\n\n"),
  });
}

/** The texts that follow the first one in a preview: the last one, and a mark for those between. */
function endOf([, ...others]: readonly TreeRow[]): string[] {
  const texts = others.map(({ text }) => text).slice(-1);
  return others.length > 1 ? ["…", ...texts] : texts;
}
