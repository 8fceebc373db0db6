import type { FilesPreview } from "@scorel/history/contract";
import { everyPage } from "@scorel/host/client";
import { useEffect, useState } from "react";
import { Diff } from "../display/diff.tsx";
import { safeLine } from "../display/safe.ts";
import type { Row } from "../host/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords, type Words } from "../words/words.ts";
import { attempt, type ChatPlace, putBack } from "./deeds.ts";

interface RewindDialogProps {
  place: ChatPlace;
  row: Row;
  onClose(): void;
}

/** What a rewind affects. */
type Scope = "both" | "conversation" | "files";
type Preview = FilesPreview & { leafId: string | null };

/** Shows which files a rewind would change, and asks what to rewind. */
export function RewindDialog({ place, row, onClose }: RewindDialogProps) {
  const words = useWords();
  const [isForced, setForced] = useState(false);
  const found = usePreview(place, row);
  const { changes = [], notCovered = [] } = found.preview ?? {};
  const go = (scope: Scope) => {
    onClose();
    void attempt(place.field, () => rewind(place, row, { scope, isForced, leafId: found.preview?.leafId, words }));
  };
  return (
    <Dialog title={words.rewindTitle} onClose={onClose}>
      <p>{words.rewindAbout}</p>
      <div role="status">
        {found.at === "reading" && <p className="muted">{words.reading}</p>}
        {found.at === "none" && <p className="muted">{words.filesUnknown}</p>}
        {found.at === "read" && changes.length === 0 && <p className="muted">{words.filesNone}</p>}
      </div>
      {found.error && <p role="alert">{found.error.message}</p>}
      {changes.length > 0 && <p>{words.filesChange(changes.length)}</p>}
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {notCovered.length > 0 && <Left title={words.filesNotCovered} rows={notCovered} />}
      {changes.some(({ conflict }) => conflict !== undefined) && (
        <label>
          <input type="checkbox" checked={isForced} onChange={(event) => setForced(event.target.checked)} />{" "}
          {words.overwrite}
        </label>
      )}
      <div className="answers">
        {changes.length > 0 && (
          <button type="button" className="primary" onClick={() => go("both")}>
            {words.rewindBoth}
          </button>
        )}
        <button type="button" disabled={found.at === "reading"} onClick={() => go("conversation")}>
          {words.rewindConversation}
        </button>
        {changes.length > 0 && row.event.parentId !== null && (
          <button type="button" onClick={() => go("files")}>
            {words.rewindFiles}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {words.cancel}
        </button>
      </div>
    </Dialog>
  );
}

function Change({ change: { path, kind, diff, conflict } }: { change: FilesPreview["changes"][number] }) {
  const words = useWords();
  const kinds: Readonly<Record<string, string>> = words.changeKinds;
  return (
    <div className="change">
      <p>
        <code>{safeLine(path)}</code> {safeLine(conflict ?? kinds[kind] ?? kind)}
      </p>
      {diff !== undefined && <Diff path={path} text={diff} />}
    </div>
  );
}

function Left({ title, rows }: { title: string; rows: FilesPreview["notCovered"] }) {
  return (
    <>
      <p>{title}</p>
      <ul>
        {rows.map(({ path, reason }) => (
          <li key={path}>
            <code>{safeLine(path)}</code> {safeLine(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface Found {
  /** `none`: this session has no checkpoints of files. */
  at: "reading" | "read" | "none" | "failed";
  preview?: Preview;
  error?: Error;
}

/** Asks the host what rewinding to before a message would change. */
function usePreview({ client, session }: ChatPlace, row: Row): Found {
  const [found, setFound] = useState<Found>({ at: "reading" });
  useEffect(() => {
    let isWanted = true;
    const asked = { sessionId: session.id, targetEventId: row.event.parentId };
    everyPage((page) => client.request("preview_rewind", { ...asked, ...page })).then(
      (preview) => isWanted && setFound({ at: "read", preview }),
      (error) => isWanted && setFound(withoutFiles(error) ? { at: "none" } : { at: "failed", error }),
    );
    return () => {
      isWanted = false;
    };
  }, [client, session, row]);
  return found;
}

function withoutFiles({ code = "" }: Error & { code?: string }): boolean {
  return ["HISTORY_NO_FILES", "HOST_OPERATION_UNKNOWN"].includes(code);
}

interface Wanted {
  scope: Scope;
  isForced: boolean;
  /** The active leaf when the files were compared. Nothing may have been added since. */
  leafId: string | null | undefined;
  words: Words;
}

async function rewind(
  place: ChatPlace,
  row: Row,
  { scope, isForced: overwrite, leafId, words }: Wanted,
): Promise<void> {
  const { client, session, field } = place;
  const { parentId: targetEventId } = row.event;
  const sessionId = session.id;
  if (scope === "files") {
    if (targetEventId === null) return;
    field.said.set(saidOf(await client.request("restore_files", { sessionId, targetEventId, overwrite }), words));
    return;
  }
  const files = scope === "both";
  const expected = leafId === undefined ? {} : { expectedLeafId: leafId };
  const moved = await client.request("rewind", {
    sessionId,
    targetEventId,
    ...expected,
    ...(files && { files, overwrite }),
  });
  putBack(field, row);
  if (moved.files) field.said.set(saidOf(moved.files, words));
}

/** Describes what happened to the files. */
function saidOf({ restored, skipped }: { restored: string[]; skipped: FilesPreview["notCovered"] }, words: Words) {
  const left = skipped.map(({ path, reason }) => `  ${path}: ${reason}`);
  const lines = [words.filesRestored(restored.length), ...(left.length > 0 ? [words.filesSkipped, ...left] : [])];
  return { text: lines.join("\n") };
}
