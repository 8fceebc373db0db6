import type { FilesPreview, TreeRow } from "@scorel/history/contract";
import { everyPage } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kit/values/coded-error";
import type { Surroundings } from "../parts.ts";
import type { PickerWords } from "../words/pickers.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace, PreviewPart } from "./picker-parts.ts";
import { ago } from "./sessions.ts";
import { wholeTree } from "./whole-tree.ts";

/** A message of the user, before which the session can be rewound. */
export interface RewindPoint {
  row: TreeRow;
  /** Returns the rows of the tree after it. */
  after(): readonly TreeRow[];
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
    load: async () => pointsOf((await wholeTree(client, sessionId, "path")).rows),
    row: ({ row }) => ({ label: row.text, detail: ago(row.ts, now(), words) }),
    id: ({ row }) => row.id,
    searched: ({ row }) => row.text,
    preview: async ({ row, after }) => {
      const files = await filesOf(client, sessionId, row.parentId);
      const lost = after()
        .map(({ label, text }) => `${label === "user" ? "> " : ""}${text}`)
        .filter((text) => text.trim() !== "");
      return [
        { text: words.rewindTakes },
        ...(files ? filesParts(files, row.parentId, words) : []),
        { text: [`> ${row.text}`, ...lost].join("\n") },
      ];
    },
  });
}

/** Asks whether to rewind the conversation, the files or both, when there are files to restore. */
export function rewindScopePicker(
  at: PickerPlace,
  files: FilesPreview,
  targetEventId: string | null,
): ListPicker<RewindScope> {
  const { pickerWords: words } = at;
  // A small window has no room for the preview, and Enter restores at once.
  const count = words.files(restorable(files).length);
  const labels = { both: words.both, conversation: words.conversationOnly, files: words.filesOnly };
  const picker = new ListPicker<RewindScope>(at, {
    title: () => words.filesTitle,
    empty: words.filesNone,
    load: () => ["both", "conversation", "files"],
    row: (scope) => ({ label: labels[scope], ...(scope !== "conversation" && { detail: count }) }),
    id: (scope) => scope,
    preview: () => filesParts(files, targetEventId, words),
  });
  return picker;
}

function pointsOf(rows: readonly TreeRow[]): RewindPoint[] {
  const path = rows.filter(({ beside }) => beside === undefined);
  return path
    .flatMap((row, index) => (row.label === "user" ? [{ row, after: () => path.slice(index + 1) }] : []))
    .reverse();
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

/** The changes that a rewind makes: a file that somebody else has changed since is kept as it is. */
export function restorable({ changes }: FilesPreview): FilesPreview["changes"] {
  return changes.filter(({ conflict }) => conflict === undefined);
}

/** The files that a rewind would change, with their diffs, and those that it would not. */
function filesParts(files: FilesPreview, targetEventId: string | null, words: PickerWords): PreviewPart[] {
  const { notCovered } = files;
  const changes = restorable(files);
  const kept = files.changes.flatMap(({ path, conflict }) =>
    conflict === undefined ? [] : [`  ${path}: ${conflict}`],
  );
  if (changes.length + kept.length + notCovered.length === 0) return [{ text: words.filesNone }];
  const command = `/rewind ${targetEventId?.slice(0, 8) ?? "start"} --files --overwrite`;
  const rows = changes.map(({ path, kind }) => `  ${path}: ${words.changes[kind] ?? kind}`);
  const left = notCovered.map(({ path, reason }) => `  ${path}: ${reason}`);
  return [
    ...(rows.length > 0 ? [{ text: [words.filesChange(rows.length), ...rows].join("\n") }] : []),
    ...(kept.length > 0 ? [{ text: [words.filesKept(kept.length, command), ...kept].join("\n") }] : []),
    ...(left.length > 0 ? [{ text: [words.filesNotCovered, ...left].join("\n") }] : []),
    ...changes.flatMap(({ path, diff }) =>
      diff === undefined ? [] : [...(changes.length > 1 ? [{ text: path }] : []), { diff }],
    ),
  ];
}
