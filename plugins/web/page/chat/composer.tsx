import type { RemoteClient } from "@scorel/host/client";
import { goTo } from "../app/place.ts";
import { safeText } from "../display/safe.ts";
import { isReachable } from "../host/reachable.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { AttachButton, Attached } from "./attachments.tsx";
import { useEscape } from "./attention.tsx";
import type { Field, Said } from "./field.ts";
import { type Line, messageOf } from "./line.ts";
import { LineField } from "./line-field.tsx";
import { enter, type Running } from "./send.ts";
import { useStopping } from "./stopping.ts";

interface ComposerProps {
  client: RemoteClient;
  session: OpenSession;
  field: Field;
}

/** The field to write in, and the keys below it. What is not sent stays, also when the page is loaded anew. */
export function Composer({ client, session, field }: ComposerProps) {
  const words = useWords();
  const { running } = useStore(session.status);
  const line = useStore(field);
  const { mode } = line;
  const isEmpty = !hasContent(line, useStore(field.pictures).length);
  const { canStop, stop } = useStopping(client, session);
  useEscape(canStop, stop);
  const said = useStore(field.said);
  const submit = useSubmit({ client, session, field });
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit("follow_up");
      }}
    >
      {said && <Answer said={said} onClose={() => field.said.set(undefined)} />}
      <Attached field={field} />
      <LineField
        client={client}
        session={session}
        field={field}
        onSubmit={(running) => void submit(running)}
        onEscape={() => (canStop ? stop() : leave())}
      />
      <div className="composer-keys">
        <span className="marks-hint">{words.marksHint}</span>
        {mode === "message" && <AttachButton field={field} />}
        {canStop && (
          <button type="button" onClick={stop}>
            {words.stop}
          </button>
        )}
        {running && mode === "message" && (
          <button type="button" disabled={isEmpty} onClick={() => void submit("steer")}>
            {words.steer}
          </button>
        )}
        <button type="submit" className="primary" disabled={isEmpty}>
          {mode !== "message" ? words.run : running ? words.queue : words.send}
        </button>
      </div>
    </form>
  );
}

function Answer({ said: { text, isProblem }, onClose }: { said: Said; onClose(): void }) {
  const words = useWords();
  return (
    <div className="said">
      <pre className="plain problem" role={isProblem ? "alert" : "status"}>
        {safeText(text)}
      </pre>
      <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

/** Leaves the field for the conversation, where keys of one character act. */
function leave(): void {
  document.querySelector<HTMLElement>(".scroller")?.focus();
}

/** Empties the field and does what it said. What could not be done comes back to it. */
function useSubmit({ client, session, field }: ComposerProps) {
  const words = useWords();
  return async (running: Running) => {
    // What has left the field would be lost with the page.
    if (!(await isReachable(client))) return sayAway(client, field, words.notSentAway);
    const line = field.get();
    const pictures = line.mode === "message" ? field.pictures.get() : [];
    if (!hasContent(line, pictures.length)) return;
    field.set(messageOf(""));
    if (pictures.length > 0) field.pictures.set([]);
    field.said.set(undefined);
    try {
      const { output, input, copy, sessionId, leave } = await enter(client, session.id, { line, pictures, running });
      if (output) field.said.set({ text: output });
      if (input !== undefined) field.put(/^\/./.test(input) ? commandOf(input.slice(1)) : messageOf(input));
      if (copy !== undefined) await navigator.clipboard.writeText(copy);
      if (sessionId !== undefined && sessionId !== session.id) goTo({ at: "session", sessionId });
      if (leave) goTo({ at: "home" });
    } catch (thrown) {
      field.put(line);
      field.pictures.set([...pictures, ...field.pictures.get()]);
      const { message } = thrown as Error;
      field.said.set({ text: line.mode === "message" ? `${words.notSent} ${message}` : message, isProblem: true });
    }
  };
}

/** Says above the field that nothing can be sent, until the host is back. */
function sayAway(client: RemoteClient, { said }: Field, text: string): void {
  said.set({ text, isProblem: true, isOfAway: true });
  const stop = client.onState(({ state }) => {
    if (state !== "live" && state !== "closed") return;
    stop();
    if (said.get()?.isOfAway) said.set(undefined);
  });
}

/** Whether there is something to send. */
function hasContent({ mode, text }: Line, pictures: number): boolean {
  return text.trim() !== "" || (mode === "message" && pictures > 0);
}

/** What a command proposes as the next one is seen first, and run when it is sent. */
function commandOf(text: string) {
  return { ...messageOf(text), mode: "command" as const };
}
