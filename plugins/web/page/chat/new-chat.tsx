import type { RemoteClient } from "@scorel/host/client";
import { useRef, useState } from "react";
import { goTo } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import { isReachable } from "../host/reachable.ts";
import { useWords } from "../words/words.ts";
import { openBegun } from "./begun.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { isComposing, madeLine, sendsByEnter, sentBy } from "./enter-key.ts";
import { useKeyboard } from "./keyboard.ts";
import { type Chosen, NewOptions } from "./new-options.tsx";
import { send } from "./send.ts";

/** A session that begins with its first message, and does not exist before. */
export function NewChat({ device, directory, onMenu }: { device: Device; directory: string; onMenu(): void }) {
  const words = useWords();
  const place = device.keyOf(`new:${directory}`);
  const [text, setText] = useState(() => draftOf(place));
  const written = useRef(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useKeyboard(field);
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState<Chosen>({});
  const [isSent, setSent] = useState(false);
  const write = (next: string) => {
    written.current = next;
    setText(next);
  };
  const begin = async () => {
    if (isSent || text.trim() === "") return;
    setSent(true);
    // On a phone, that would open the keyboard again.
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus();
    if (!(await isReachable(device.client))) {
      setSent(false);
      return setProblem(words.notSentAway);
    }
    setProblem(undefined);
    // What is written from now on is for the session.
    write("");
    try {
      const sessionId = await beginSession(device.client, { cwd: directory, ...chosen }, text);
      await openBegun(device, sessionId);
      keepDraft(place, "");
      keepDraft(device.keyOf(sessionId), written.current);
      goTo({ at: "session", sessionId }, { replace: true });
    } catch (thrown) {
      write([text, written.current].filter((part) => part !== "").join("\n\n"));
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
          ref={field}
          aria-label={words.message}
          placeholder={words.placeholder(sendsByEnter())}
          rows={4}
          // biome-ignore lint/a11y/noAutofocus: the field is what this place is for.
          autoFocus
          value={text}
          onChange={(event) => {
            write(event.target.value);
            if (!isSent) keepDraft(place, event.target.value);
          }}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            const isSent = sentBy(event) !== undefined;
            if (!isSent && !madeLine(event)) return;
            event.preventDefault();
            if (isSent) void begin();
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
