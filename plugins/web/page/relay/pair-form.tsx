import type { PairedHost } from "@scorel/relay/browser";
import { type FormEvent, useEffect, useState } from "react";
import { fromHere, goTo } from "../app/place.ts";
import { safeText } from "../display/safe.ts";
import type { Devices } from "../host/devices.ts";
import { claim, forgetPending, keepPending, type Pending, pending as pendingNow } from "../host/pairing-link.ts";
import { Problem } from "../ui/problem.tsx";
import { pairingWords } from "../words/pairing.ts";
import { wordsOf } from "../words/words.ts";
import { ownFingerprint, pair } from "./relay.ts";
import { browserName, shownLink, type Wanted, wantedOf } from "./wanted.ts";

/** Receives the host after pairing. */
export type PairTaker = Pick<Devices, "allowRelays"> & {
  addPaired(host: PairedHost): Promise<{ id: string }>;
};

interface PairFormProps {
  devices: PairTaker;
  /** The relays of the host that was paired before, separated by commas. */
  relay?: string;
  /** Whether to continue with the data of a link, or with what the person has agreed to before the page was reloaded. */
  goesOn: boolean;
  onPaired(): void;
}

type Step = { at: "form" } | { at: "connecting" } | { at: "confirmed"; fingerprint: string };

/** Pairs with a host through a relay: asks for its code, and says what to do on its computer. */
export function PairForm({ devices, relay: known = "", goesOn, onPaired }: PairFormProps) {
  const words = pairingWords[wordsOf(navigator.languages).language === "en" ? "en" : "zh"];
  const [pending] = useState(() => (goesOn ? pendingNow() : undefined));
  const [code, setCode] = useState(pending?.code ?? "");
  const [relay, setRelay] = useState(pending?.relay ?? known);
  const [name, setName] = useState(pending?.name ?? browserName());
  const [step, setStep] = useState<Step>({ at: "form" });
  const [problem, setProblem] = useState<string>();
  const link = shownLink(code);
  const attempt = (work: () => Promise<unknown>) => {
    setProblem(undefined);
    setStep({ at: "connecting" });
    work().catch((thrown) => {
      setProblem((thrown as Error).message);
      setStep({ at: "form" });
    });
  };
  const run = async (wanted: Wanted, shown: string) => {
    const goOn = fromHere();
    const fingerprint = await ownFingerprint();
    const host = await pair({ ...wanted, name: shown, confirmed: () => setStep({ at: "confirmed", fingerprint }) });
    const device = await devices.addPaired(host);
    onPaired();
    goOn({ at: "home" }, { device: device.id });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what was agreed to.
  useEffect(() => {
    if (pending && claim(pending) && pending.isAgreed)
      attempt(async () => run(wantedOf(pending.code, pending.relay ?? ""), name));
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(async () => {
      const wanted = wantedOf(code, relay);
      if (await devices.allowRelays(wanted.relays)) await run(wanted, name.trim());
      else beginAnew({ code, relay, name: name.trim() }, words.pairUnstored);
    });
  };
  if (step.at !== "form")
    return (
      <p role="status">{step.at === "confirmed" ? words.pairConfirmed(step.fingerprint) : words.pairConnecting}</p>
    );
  return (
    <form className="dialog-form" onSubmit={submit}>
      <label>
        {words.pairCode}
        <input
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="7Q2-K9FV-0CXE"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </label>
      {link ? (
        <p>
          {link.host === undefined
            ? words.pairFromLinkAlone(safeText(link.relay))
            : words.pairFromLink(safeText(link.relay), link.host)}
        </p>
      ) : (
        <label>
          {words.pairRelay}
          <input
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="wss://relay.example"
            value={relay}
            onChange={(event) => setRelay(event.target.value)}
          />
        </label>
      )}
      <label>
        {words.pairBrowser}
        <input maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="muted">{words.pairHelp}</p>
      <Problem text={problem} />
      <button
        type="submit"
        className="primary"
        disabled={code.trim() === "" || name.trim() === "" || (!link && relay.trim() === "")}
      >
        {words.pairSubmit}
      </button>
    </form>
  );
}

/** Reloads the page, which may then connect to the relay, and continues with pairing. Throws `unstored` if the browser would forget it. */
function beginAnew(agreed: Required<Omit<Pending, "isAgreed">>, unstored: string): void {
  if (!keepPending({ ...agreed, isAgreed: true })) {
    forgetPending();
    throw new Error(unstored);
  }
  goTo({ at: "home" }, { device: "" });
  location.reload();
}
