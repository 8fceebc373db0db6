import type { RemoteClient } from "@scorel/host/client";
import { useState } from "react";
import { goTo } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import { isReachable } from "../host/reachable.ts";
import { useWords } from "../words/words.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { type Chosen, NewOptions } from "./new-options.tsx";
import { send } from "./send.ts";

/** A session that begins with its first message, and does not exist before. */
export function NewChat({ device, directory, onMenu }: { device: Device; directory: string; onMenu(): void }) {
  const words = useWords();
  const place = `new:${directory}`;
  const [text, setText] = useState(() => draftOf(place));
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState<Chosen>({});
  const [isSent, setSent] = useState(false);
  const begin = async () => {
    if (text.trim() === "") return;
    setSent(true);
    if (!(await isReachable(device.client))) {
      setSent(false);
      return setProblem(words.notSentAway);
    }
    setProblem(undefined);
    try {
      const sessionId = await beginSession(device.client, { cwd: directory, ...chosen }, text);
      keepDraft(place, "");
      goTo({ at: "session", sessionId }, { replace: true });
    } catch (thrown) {
      setProblem(`${words.notSent} ${(thrown as Error).message}`);
      setSent(false);
    }
  };
  return (
    <article className="chat new" aria-label={words.newSession}>
      <header className="chat-head">
        <button type="button" className="menu-button" onClick={onMenu}>
          {words.menu}
        </button>
        <h2>{words.newSession}</h2>
      </header>
      <p className="muted directory">{directory}</p>
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        {problem && (
          <pre className="plain problem" role="alert">
            {problem}
          </pre>
        )}
        <textarea
          aria-label={words.message}
          placeholder={words.placeholder}
          rows={4}
          // biome-ignore lint/a11y/noAutofocus: the field is what this place is for.
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            keepDraft(place, event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void begin();
          }}
        />
        <div className="composer-keys">
          <button type="submit" className="primary" disabled={isSent || text.trim() === ""}>
            {words.send}
          </button>
        </div>
      </form>
      <NewOptions client={device.client} directory={directory} chosen={chosen} onChange={setChosen} />
    </article>
  );
}

type Beginning = { cwd: string } & Chosen;

/** Creates a session with its first message. One whose message was refused is closed again, so that nothing of it stays. */
async function beginSession(client: RemoteClient, options: Beginning, text: string): Promise<string> {
  const { sessionId } = await client.request("create_session", { attending: true, ...options });
  try {
    // Before the message: whoever asks then finds that somebody is there.
    await client.request("attend_requests", { sessionId });
    await send(client, sessionId, text, "follow_up");
  } catch (thrown) {
    await client.request("close_session", { sessionId });
    throw thrown;
  }
  return sessionId;
}
