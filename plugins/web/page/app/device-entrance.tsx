import { type FormEvent, useState } from "react";
import { safeLine, safeText } from "../display/safe.ts";
import type { Devices, OtherDevice } from "../host/devices.ts";
import { useWords } from "../words/words.ts";
import { fragmentOf } from "./place.ts";

/** What is shown of a device for which this tab has no token: where to enter one. */
export function DeviceEntrance({ devices, other }: { devices: Devices; other: OtherDevice }) {
  const words = useWords();
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") devices.enter(other.id, token.trim());
  };
  return (
    <main className="entrance">
      <h1>{safeLine(other.name)}</h1>
      <p className="muted">{safeLine(other.address)}</p>
      {other.problem && <p role="alert">{safeText(other.problem.message)}</p>}
      <p>{words.deviceEnterHelp}</p>
      <form onSubmit={submit}>
        <label>
          {words.deviceEnter(safeLine(other.name))}
          <input type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <button type="submit">{words.enterSubmit}</button>
      </form>
      <a href={fragmentOf({ at: "home" }, "")}>{words.backToOwn}</a>
    </main>
  );
}
