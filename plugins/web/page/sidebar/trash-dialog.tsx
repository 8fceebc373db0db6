import { everyPage } from "@scorel/host/client";
import type { Operations } from "@scorel/host/contract";
import { useCallback, useEffect, useState } from "react";
import { fromHere } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";

type Deleted = Operations["list_trash"]["result"]["sessions"][number];

/** A dialog with the deleted sessions, to restore them. */
export function TrashDialog({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords();
  const { client } = device;
  const [sessions, setSessions] = useState<readonly Deleted[]>();
  const [problem, setProblem] = useState<string>();
  const fail = useCallback((thrown: unknown) => setProblem((thrown as Error).message), []);
  useEffect(() => {
    everyPage((page) => client.request("list_trash", page)).then((answer) => setSessions(answer.sessions), fail);
  }, [client, fail]);
  const restore = async (sessionId: string) => {
    const goOn = fromHere();
    try {
      await client.request("restore_session", { sessionId });
      onClose();
      goOn({ at: "session", sessionId });
    } catch (thrown) {
      fail(thrown);
    }
  };
  return (
    <Dialog title={words.deletedSessions} onClose={onClose}>
      <Problem text={problem} />
      {sessions?.length === 0 && <p className="muted">{words.trashEmpty}</p>}
      <ul className="rows">
        {sessions?.map(({ sessionId, title }) => {
          const shown = safeLine(title) || words.untitled;
          return (
            <li key={sessionId}>
              <span className="row-text">{shown}</span>
              <button type="button" aria-label={words.restoreNamed(shown)} onClick={() => void restore(sessionId)}>
                {words.restore}
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
