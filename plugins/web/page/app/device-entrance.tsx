import { type FormEvent, useState } from "react";
import { safeLine, safeText } from "../display/safe.ts";
import type { Devices, OtherDevice } from "../host/devices.ts";
import { useWords } from "../words/words.ts";
import { PairForm } from "./pairing.tsx";
import { fragmentOf } from "./place.ts";

interface EntranceProps {
  devices: Devices;
  other: OtherDevice;
}

/** Shown for a device that this tab cannot connect to: a form for its token, or for pairing. */
export function DeviceEntrance({ devices, other }: EntranceProps) {
  const words = useWords();
  return (
    <main className="entrance">
      <h1>{safeLine(other.name)}</h1>
      <p className="muted">{safeLine(other.address)}</p>
      {other.problem && <p role="alert">{safeText(other.problem.message)}</p>}
      {other.host === undefined ? (
        <TokenForm devices={devices} other={other} />
      ) : (
        <>
          {!other.problem && <p>{words.devicePairHelp}</p>}
          <PairForm
            devices={devices}
            relay={[other.address, ...(other.more ?? [])].join(", ")}
            goesOn={false}
            onPaired={() => {}}
          />
        </>
      )}
      <a href={fragmentOf({ at: "home" }, "")}>{words.backToOwn}</a>
    </main>
  );
}

function TokenForm({ devices, other }: EntranceProps) {
  const words = useWords();
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") devices.enter(other.id, token.trim());
  };
  return (
    <>
      <p>{words.deviceEnterHelp}</p>
      <form onSubmit={submit}>
        <label>
          {words.deviceEnter(safeLine(other.name))}
          <input type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <button type="submit">{words.enterSubmit}</button>
      </form>
    </>
  );
}
