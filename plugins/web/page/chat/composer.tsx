import type { RemoteClient } from "@scorel/host/client";
import { useEffect, useRef } from "react";
import { goTo } from "../app/place.ts";
import { safeText } from "../display/safe.ts";
import { isReachable } from "../host/reachable.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { Answer, showAnswer } from "./answered.tsx";
import { AttachButton, Attached } from "./attachments.tsx";
import { useEscape } from "./attention.tsx";
import type { Field } from "./field.ts";
import { type Line, messageOf } from "./line.ts";
import { LineField } from "./line-field.tsx";
import { commandIn, enter, type Running } from "./send.ts";
import { useStopping } from "./stopping.ts";

interface ComposerProps {
  client: RemoteClient;
  session: OpenSession;
  field: Field;
}

/** The field to write in, with its buttons. Text that was not sent survives a reload of the page. */
export function Composer({ client, session, field }: ComposerProps) {
  const words = useWords();
  const { running } = useStore(session.status);
  const line = useStore(field);
  const { mode } = line;
  const isEmpty = !hasContent(line, useStore(field.pictures).length);
  const { canStop, canStopByEsc, stop } = useStopping(client, session);
  useEscape(canStopByEsc, stop);
  const said = useStore(field.said);
  const submit = useSubmit({ client, session, field });
  useHeld({ client, session, field }, submit);
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit("follow_up");
      }}
    >
      <Untaken field={field} />
      {said && <Answer said={said} onClose={() => field.said.set(undefined)} />}
      <Attached field={field} />
      <LineField
        client={client}
        sessionId={session.id}
        field={field}
        onSubmit={(running) => void submit(running)}
        onEscape={() => (canStopByEsc ? stop() : leave())}
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

/** Messages that were sent but that the host has not accepted yet. */
function Untaken({ field }: Pick<ComposerProps, "field">) {
  const words = useWords();
  const texts = useStore(field.untaken);
  return (
    <div role="status">
      {texts.length > 0 && (
        <>
          <p className="muted">{words.untaken}</p>
          <ul className="untaken">
            {texts.map((text, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two messages may be the same, and they keep their order.
              <li key={at} className="plain muted">
                {safeText(text)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Moves the focus from the field to the conversation, where keys of one character work. */
function leave(): void {
  document.querySelector<HTMLElement>(".scroller")?.focus();
}

/** Empties the field, and sends or runs its content. If that fails, the content returns to the field. */
function useSubmit({ client, session, field }: ComposerProps) {
  const words = useWords();
  return async (running: Running) => {
    // Checked first, since text that has left the field would be lost with the page.
    const isThere = await isReachable(client);
    const line = field.get();
    // Only a message is sent later. A command should not run when nobody expects it any more.
    if (!isThere && line.mode === "message") field.held.set({ text: line.text, running });
    if (!isThere) return sayAway(client, field, line.mode === "message" ? words.sentWhenBack : words.notSentAway);
    const pictures = line.mode === "message" ? field.pictures.get() : [];
    if (!hasContent(line, pictures.length)) return;
    field.set(messageOf(""));
    if (pictures.length > 0) field.pictures.set([]);
    field.said.set(undefined);
    try {
      const entering = enter(client, session.id, { line, pictures, running });
      const answered = await (line.mode === "message" ? field.showUntil(line.text, entering) : entering);
      const { sessionId, leave } = answered;
      const name = await commandIn(line, client, session.id).catch(() => undefined);
      if (name !== undefined) field.said.set({ text: words.sentAsText(name) });
      await showAnswer(field, answered, words);
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

/** Sends the held message when the host is back. If its text was changed meanwhile, only the person sends it. */
function useHeld({ client, session, field }: ComposerProps, submit: (running: Running) => Promise<void>): void {
  const { connection } = useStore(session.status);
  const { text } = useStore(field);
  const held = useStore(field.held);
  const send = useRef(submit);
  send.current = submit;
  useEffect(() => {
    const isBack = connection === "live" && client.state.state === "live";
    const isChanged = held !== undefined && text !== held.text;
    if (held === undefined || !(isBack || isChanged)) return;
    field.held.set(undefined);
    if (field.said.get()?.isOfAway) field.said.set(undefined);
    if (!isChanged) void send.current(held.running);
  }, [client, connection, text, held, field]);
}

/** Says above the field that nothing can be sent until the host is back. */
function sayAway(client: RemoteClient, { said }: Field, text: string): void {
  said.set({ text, isProblem: true, isOfAway: true });
  const stop = client.onState(({ state }) => {
    if (state !== "live" && state !== "closed") return;
    stop();
    if (said.get()?.isOfAway) said.set(undefined);
  });
}

/** Whether there is something to send. */
export function hasContent({ mode, text }: Line, pictures: number): boolean {
  return text.trim() !== "" || (mode === "message" && pictures > 0);
}
