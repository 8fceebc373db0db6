import { everyPage } from "@scorel/host/client";
import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useAnsweringLater } from "../waiting/push.ts";
import { useWords } from "../words/words.ts";
import { begunOf, takeBegun } from "./begun.ts";
import { Chat } from "./chat.tsx";
import { Deleted } from "./deleted.tsx";
import { restOf } from "./fields.ts";

interface SessionPageProps {
  device: Device;
  sessionId: string;
  onMenu(): void;
}

/** Shows a session, unless it is in the trash. */
export function SessionPage(props: SessionPageProps) {
  const deleted = useStore(props.device.sessions.deleted);
  return deleted.has(props.sessionId) ? <Deleted {...props} /> : <Opening {...props} />;
}

function Opening({ device, sessionId, onMenu }: SessionPageProps) {
  const words = useWords();
  const [session, setSession] = useState(() => begunOf(device, sessionId));
  const [error, setError] = useState<Error>();
  const { write, answer } = useStore(device.rights);
  const isAway = useStore(device.awaySince) !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other rights than were known, it is opened in another way.
  useEffect(() => {
    let isWanted = true;
    const begun = takeBegun(device, sessionId);
    const opening = begun ? Promise.resolve(begun) : OpenSession.open(device, sessionId);
    opening.then(
      (opened) => {
        if (!isWanted) return;
        setSession(opened);
        setError(undefined);
      },
      async (thrown) => {
        if (await isInTrash(device, sessionId, thrown)) device.sessions.markDeleted(sessionId);
        else if (isWanted) setError(thrown);
      },
    );
    return () => {
      isWanted = false;
      // If the connection is lost, the host closes the session itself.
      leave(device, opening).catch(() => {});
    };
  }, [device, sessionId, write, answer]);
  useEffect(() => {
    if (!session) return;
    // It may have been deleted while the connection was lost, before this component could hear of it.
    const look = async () => {
      const { connection, error } = session.status.get();
      if (connection === "closed" && (await isInTrash(device, sessionId, error)))
        device.sessions.markDeleted(sessionId);
    };
    void look();
    return session.status.subscribe(look);
  }, [device, sessionId, session]);
  useAnsweringLater(device, sessionId, session !== undefined);
  if (error)
    return (
      <div className="empty" role="alert">
        <p>{error.message}</p>
        <button type="button" onClick={onMenu}>
          {words.menu}
        </button>
      </div>
    );
  if (!session) return <Nothing text={isAway ? words.notKept : words.connecting} onMenu={onMenu} />;
  return <Chat device={device} session={session} onMenu={onMenu} />;
}

/** Closes a session that is no longer shown, but not before the host has what was sent in it. */
async function leave(device: Device, opening: Promise<OpenSession>): Promise<void> {
  const session = await opening;
  await restOf(device.keyOf(session.id));
  await session.close(device);
}

/** Shown until there is something of the session. */
function Nothing({ text, onMenu }: { text: string; onMenu(): void }) {
  const words = useWords();
  return (
    <div className="empty">
      <button type="button" className="menu-button" onClick={onMenu}>
        {words.menu}
      </button>
      <p className="muted">{text}</p>
    </div>
  );
}

/** Whether a session could not be opened because it is in the trash. */
async function isInTrash({ client }: Device, sessionId: string, thrown: unknown): Promise<boolean> {
  if ((thrown as { code?: string } | undefined)?.code !== "SESSION_UNKNOWN") return false;
  try {
    const { sessions } = await everyPage((page) => client.request("list_trash", page));
    return sessions.some((session) => session.sessionId === sessionId);
  } catch {
    // Then the error is shown, as for any other session that cannot be opened.
    return false;
  }
}
