import { useState } from "react";
import type { Device } from "../host/device.ts";
import { useRights } from "../host/rights.ts";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";

interface DeletedProps {
  device: Device;
  sessionId: string;
  onMenu(): void;
}

/** Shown in place of a session that is in the trash. Shows the session as soon as anybody has restored it. */
export function Deleted({ device, sessionId, onMenu }: DeletedProps) {
  const words = useWords();
  const { manage } = useRights();
  const [problem, setProblem] = useState<string>();
  const restore = () =>
    device.client.request("restore_session", { sessionId }).then(
      () => device.sessions.markPresent(sessionId),
      (thrown) => setProblem((thrown as Error).message),
    );
  return (
    <div className="empty">
      <p role="status">{words.wasDeleted}</p>
      <Problem text={problem} />
      <p className="centred">
        {manage && (
          <button type="button" className="primary" onClick={() => void restore()}>
            {words.restore}
          </button>
        )}
        <button type="button" className="menu-button" onClick={onMenu}>
          {words.menu}
        </button>
      </p>
    </div>
  );
}
