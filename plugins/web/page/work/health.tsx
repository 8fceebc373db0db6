import type { Finding } from "@scorel/doctor/contract";
import { useState } from "react";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeLine, safeText } from "../display/safe.ts";
import { useRights } from "../host/rights.ts";
import { useWords } from "../words/words.ts";
import { Refusal } from "./refusal.tsx";

interface Checked {
  isBusy?: boolean;
  found?: { findings: Finding[]; more: boolean; ms: number };
  error?: Error & { code?: string };
}

/** CSS class for each severity of a finding. */
const NOTICES = { ok: "", note: "", warning: "warning", error: "error" };

/** Problems of a session's host, and what to do about them. Checking starts programs, so it waits for a click on the button. */
export function Health({ place: { client, session } }: { place: ChatPlace }) {
  const words = useWords();
  const { manage } = useRights();
  const [{ isBusy = false, found, error }, setChecked] = useState<Checked>({});
  const check = async () => {
    setChecked({ isBusy: true });
    try {
      setChecked({ found: await client.request("check_health", { sessionId: session.id }) });
    } catch (thrown) {
      setChecked({ error: thrown as Error });
    }
  };
  if (!manage) return <p className="muted">{words.healthRefused}</p>;
  return (
    <>
      <p className="muted">{words.healthAbout}</p>
      <button type="button" disabled={isBusy} onClick={() => void check()}>
        {isBusy ? words.healthChecking : words.healthCheck}
      </button>
      <p role="status" className="muted">
        {found && words.healthTook(found.ms)}
      </p>
      {found && (
        <ul className="findings">
          {found.findings.map((finding) => (
            <FindingRow key={`${finding.code} ${finding.where} ${finding.what}`} finding={finding} />
          ))}
        </ul>
      )}
      {found?.more && <p className="muted">{words.healthMore}</p>}
      {error && <Refusal error={error} />}
    </>
  );
}

function FindingRow({ finding: { severity, what, where, doNext } }: { finding: Finding }) {
  const words = useWords();
  return (
    <li>
      <p className={`notice ${NOTICES[severity]}`}>
        <span className="badge">{words.healthMarks[severity]}</span> {safeText(what)}
      </p>
      {where !== "" && (
        <p>
          <code>{safeLine(where)}</code>
        </p>
      )}
      {doNext !== "" && <p className="plain">{safeText(doNext)}</p>}
    </li>
  );
}
