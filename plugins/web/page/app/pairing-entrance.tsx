import { safeText } from "../display/safe.ts";
import { useWords } from "../words/words.ts";
import { PairForm } from "./pairing.tsx";
import { goTo } from "./place.ts";

/** For a page without a host of its own: it may connect to any relay, and shows a host as soon as this browser is paired with it. */
const taker = { allowRelays: async () => true, addPaired: async () => ({ id: "" }) };

/** Reloads the page, which then shows another host, if there is one. Drops the current place, which belongs to this host. */
function beginAnew(): void {
  goTo({ at: "home" }, { replace: true, device: "" });
  location.reload();
}

/** Shown by a page without a host of its own if this browser is not paired with any host, or if its host has revoked it. */
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
