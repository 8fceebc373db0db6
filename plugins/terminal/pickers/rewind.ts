import type { FilesPreview, TreeRow } from "@scorel/history/contract";
import { everyPage } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kit/values/coded-error";
import type { Surroundings } from "../parts.ts";
import type { PickerWords } from "../words/pickers.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace, PreviewPart } from "./picker-parts.ts";
import { ago } from "./sessions.ts";

const MOST = 5_000;

/** A message of the user, before which the session can be rewound, and the rows of the tree after it. */
export interface RewindPoint {
  row: TreeRow;
  after: readonly TreeRow[];
}

/** The parts that a rewind restores: the conversation, the files, or both. */
export type RewindScope = "both" | "conversation" | "files";

/** The user's messages in this conversation, the latest first. The preview shows what rewinding to before each one would undo. */
export function rewindPicker(
  at: PickerPlace & Surroundings,
  sessionId: string,
  now = Date.now,
): ListPicker<RewindPoint> {
  const { client, pickerWords: words } = at;
  return new ListPicker<RewindPoint>(at, {
    title: () => words.rewindTitle,
    empty: words.rewindEmpty,
    load: async () => pointsOf((await client.request("get_tree", { sessionId, show: "path", limit: MOST })).rows),
    row: ({ row }) => ({ label: row.text, detail: ago(row.ts, now(), words) }),
    id: ({ row }) => row.id,
    searched: ({ row }) => row.text,
    preview: async ({ row, after }) => {
      const files = await filesOf(client, sessionId, row.parentId);
      const lost = after
        .map(({ label, text }) => `${label === "user" ? "> " : ""}${text}`)
        .filter((text) => text.trim() !== "");
      return [
        { text: words.rewindTakes },
        ...(files ? filesParts(files, words) : []),
        { text: [`> ${row.text}`, ...lost].join("\n") },
      ];
    },
  });
}

/** Asks whether to rewind the conversation, the files or both, when there are files to restore. */
export function rewindScopePicker(at: PickerPlace, files: FilesPreview): ListPicker<RewindScope> {
  const { pickerWords: words } = at;
  const labels = { both: words.both, conversation: words.conversationOnly, files: words.filesOnly };
  const picker = new ListPicker<RewindScope>(at, {
    title: () => words.filesTitle,
    empty: words.filesNone,
    load: () => ["both", "conversation", "files"],
    row: (scope) => ({ label: labels[scope] }),
    id: (scope) => scope,
    preview: () => filesParts(files, words),
  });
  return picker;
}

function pointsOf(rows: readonly TreeRow[]): RewindPoint[] {
  const path = rows.filter(({ beside }) => beside === undefined);
  return path.flatMap((row, index) => (row.label === "user" ? [{ row, after: path.slice(index + 1) }] : [])).reverse();
}

/** How a rewind would change the files; undefined if no plugin keeps checkpoints. */
export async function filesOf(
  client: Client,
  sessionId: string,
  targetEventId: string | null,
): Promise<FilesPreview | undefined> {
  try {
    return await everyPage((page) => client.request("preview_rewind", { sessionId, targetEventId, ...page }));
  } catch (thrown) {
    if (["HISTORY_NO_FILES", "HOST_OPERATION_UNKNOWN"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

/** The files that a rewind would change, with their diffs. */
function filesParts({ changes, notCovered }: FilesPreview, words: PickerWords): PreviewPart[] {
  if (changes.length === 0 && notCovered.length === 0) return [{ text: words.filesNone }];
  const rows = changes.map(({ path, kind, conflict }) => `  ${path}: ${conflict ?? words.changes[kind] ?? kind}`);
  const left = notCovered.map(({ path, reason }) => `  ${path}: ${reason}`);
  return [
    ...(rows.length > 0 ? [{ text: [words.filesChange(rows.length), ...rows].join("\n") }] : []),
    ...(left.length > 0 ? [{ text: [words.filesNotCovered, ...left].join("\n") }] : []),
    ...changes.flatMap(({ path, diff }) =>
      diff === undefined ? [] : [...(changes.length > 1 ? [{ text: path }] : []), { diff }],
    ),
  ];
}
