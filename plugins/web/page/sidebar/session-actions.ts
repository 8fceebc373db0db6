import type { RemoteClient } from "@scorel/host/client";
import type { ExportFormat } from "@scorel/transfer/contract";
import { fromHere } from "../app/place.ts";
import { download } from "../ui/download.ts";
import { attempt, tell } from "../ui/notes.ts";
import type { Words } from "../words/words.ts";

interface Named {
  sessionId: string;
  title: string;
}

const TYPES: Record<ExportFormat, string> = {
  md: "text/markdown",
  html: "text/html",
  jsonl: "application/x-ndjson",
};

/** Moves a session to the trash, and offers to undo that. */
export async function deleteSession(client: RemoteClient, { sessionId, title }: Named, words: Words): Promise<void> {
  await client.request("delete_session", { sessionId });
  const undo = () => attempt(() => client.request("restore_session", { sessionId }));
  tell({ text: words.inTrash(title), action: { label: words.undo, run: undo } });
}

/** Archives a session, and offers to undo that; or takes it out of the archive. */
export async function archiveSession(
  client: RemoteClient,
  { sessionId, title }: Named,
  words: Words,
  archived = true,
): Promise<void> {
  await client.request("archive_session", { sessionId, archived });
  if (!archived) return;
  const undo = () => attempt(() => client.request("archive_session", { sessionId, archived: false }));
  tell({ text: words.inArchive(title), action: { label: words.undo, run: undo } });
}

/** Copies a session, and opens the copy, unless the person has gone somewhere else meanwhile. */
export async function cloneSession(client: RemoteClient, { sessionId }: Named): Promise<void> {
  const goOn = fromHere();
  const copy = await client.request("clone_session", { sessionId, atOnce: true, attending: true });
  goOn({ at: "session", sessionId: copy.sessionId });
}

/** Compacts a session's conversation, and shows the result. */
export async function compactSession(client: RemoteClient, { sessionId, title }: Named, words: Words): Promise<void> {
  tell({ text: words.compacting });
  const done = await client.request("compact", { sessionId });
  const text = done.compacted
    ? words.compactedNote(done.tokensBefore, done.tokensAfter, title)
    : words.notCompactedNote(title);
  tell({ text: done.note === undefined ? text : `${text} ${done.note}` });
}

/** Downloads the text of a session. */
export async function downloadSession(
  client: RemoteClient,
  { sessionId, title }: Named,
  format: ExportFormat,
): Promise<void> {
  const { content = "" } = await client.request("export_session", { sessionId, format });
  download(new Blob([content], { type: TYPES[format] }), { name: title, ending: `.${format}`, otherwise: sessionId });
}
