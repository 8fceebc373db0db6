import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";
import { useWords } from "../words/words.ts";
import { Chat } from "./chat.tsx";

interface SessionPageProps {
  device: Device;
  sessionId: string;
  onMenu(): void;
}

/** Opens a session and shows it. */
export function SessionPage({ device, sessionId, onMenu }: SessionPageProps) {
  const words = useWords();
  const [session, setSession] = useState<OpenSession>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isWanted = true;
    const { client } = device;
    const opening = OpenSession.open(client, sessionId);
    opening.then(
      (opened) => isWanted && setSession(opened),
      (thrown) => isWanted && setError(thrown),
    );
    return () => {
      isWanted = false;
      // The host closes it by itself when the connection is gone.
      opening.then((opened) => opened.close(client)).catch(() => {});
    };
  }, [device, sessionId]);
  if (error)
    return (
      <div className="empty" role="alert">
        <p>{error.message}</p>
        <button type="button" onClick={onMenu}>
          {words.menu}
        </button>
      </div>
    );
  if (!session) return <p className="page-note">{words.connecting}</p>;
  return <Chat device={device} session={session} onMenu={onMenu} />;
}
