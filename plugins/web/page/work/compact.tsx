import type { Compacted } from "@scorel/host/contract";
import { useState } from "react";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeText } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** A button that compacts the conversation, and shows the result. */
export function CompactNow({ place: { client, session } }: { place: ChatPlace }) {
  const words = useWords();
  const { running } = useStore(session.status);
  const [state, setState] = useState<{ isBusy?: boolean; done?: Compacted; error?: Error }>({});
  const compact = async () => {
    setState({ isBusy: true });
    try {
      setState({ done: await client.request("compact", { sessionId: session.id }) });
    } catch (thrown) {
      setState({ error: thrown as Error });
    }
  };
  const { isBusy = false, done, error } = state;
  return (
    <>
      <button type="button" disabled={running || isBusy} onClick={() => void compact()}>
        {isBusy ? words.compacting : words.compactNow}
      </button>
      <div role="status">
        {done?.compacted && <p>{words.compacted(done.tokensBefore, done.tokensAfter)}</p>}
        {done && !done.compacted && <p>{words.notCompacted}</p>}
        {done?.note !== undefined && <p className="muted">{safeText(done.note)}</p>}
      </div>
      {error && <p role="alert">{safeText(error.message)}</p>}
    </>
  );
}
