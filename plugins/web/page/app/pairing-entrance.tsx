import { safeText } from "../display/safe.ts";
import { useWords } from "../words/words.ts";
import { PairForm } from "./pairing.tsx";
import { goTo } from "./place.ts";

/** A page of no host asks nobody whether it may connect, and begins with what this browser is paired with. */
const taker = { allowRelays: async () => true, addPaired: async () => ({ id: "" }) };

/** Loads the page anew, which then shows another host, if there is one: where it was is a place of this one. */
function beginAnew(): void {
  goTo({ at: "home" }, { replace: true, device: "" });
  location.reload();
}

/** What a page of no host shows to a browser that is not paired with any host, or that its host has revoked. */
export function PairingEntrance({ problem, onPaired }: { problem: Error | undefined; onPaired(): void }) {
  const words = useWords();
  return (
    <main className="entrance">
      <h1>{words.apartTitle}</h1>
      {problem && (
        <>
          <p role="alert">{safeText(problem.message)}</p>
          <button type="button" onClick={beginAnew}>
            {words.tryAgain}
          </button>
        </>
      )}
      <PairForm devices={taker} goesOn onPaired={onPaired} />
    </main>
  );
}
