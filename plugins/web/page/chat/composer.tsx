import type { RemoteClient } from "@scorel/host/client";
import { fromHere } from "../app/place.ts";
import { safeText } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { Answer } from "./answered.tsx";
import { AttachButton, Attached } from "./attachments.tsx";
import { useEscape } from "./attention.tsx";
import type { Edited, Field } from "./field.ts";
import { useHeld } from "./held.ts";
import { type Line, meant, messageOf, written } from "./line.ts";
import { LineField } from "./line-field.tsx";
import { readyToSend } from "./ready-to-send.ts";
import { refusalText } from "./refusal-text.ts";
import { commandIn, enter, type Running } from "./send.ts";
import { showAnswer } from "./show-answer.ts";
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
  const isEditing = useStore(field.edited) !== undefined;
  const cancel = () => (isEditing ? field.endEdit() : stop());
  useEscape(isEditing || canStopByEsc, cancel);
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
      <div role="status">
        {isEditing && (
          <p className="editing">
            {words.editing}{" "}
            <button type="button" className="link" onClick={() => field.endEdit()}>
              {words.cancel}
            </button>
          </p>
        )}
      </div>
      <Attached field={field} />
      <LineField
        client={client}
        sessionId={session.id}
        field={field}
        isQueued={running}
        onSubmit={(running) => void submit(running)}
        onEscape={() => (isEditing || canStopByEsc ? cancel() : leave())}
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
  const submit = async (running: Running) => {
    const goOn = fromHere();
    // Checked first, since text that has left the field would be lost with the page.
    const isThere = await readyToSend(field, client, words);
    if (isThere === undefined) return;
    const line = field.get();
    const isMessage = meant(line).mode === "message";
    const pictures = isMessage ? field.pictures.get() : [];
    if (!hasContent(line, pictures.length)) return;
    // Only a message is sent later. A command should not run when nobody expects it any more.
    if (!isThere && isMessage) field.held.set({ text: line.text, running });
    if (!isThere) return sayAway(client, field, isMessage ? words.sentWhenBack : words.notSentAway);
    const edited = isMessage ? field.edited.get() : undefined;
    if (edited) field.endEdit();
    else field.set(messageOf(""));
    if (!edited && pictures.length > 0) field.pictures.set([]);
    field.said.set(undefined);
    if (meant(line).mode !== "command") field.sendings.set(field.sendings.get() + 1);
    let isBack = edited === undefined;
    const goBack = async ({ targetEventId }: Edited) => {
      await client.request("rewind", { sessionId: session.id, targetEventId });
      isBack = true;
    };
    const begin = async () => {
      if (edited) await goBack(edited);
      return enter(client, session.id, { line, pictures, running });
    };
    try {
      const entering = begin();
      const answered = await (isMessage ? field.showUntil(written(line), entering) : entering);
      const { sessionId, leave } = answered;
      const name = await commandIn(line, client, session.id).catch(() => undefined);
      if (name !== undefined) field.said.set({ text: words.sentAsText(name) });
      await showAnswer(field, answered, words);
      if (leave) goOn({ at: "home" });
      else if (sessionId !== undefined && sessionId !== session.id) goOn({ at: "session", sessionId });
    } catch (thrown) {
      if (edited && !isBack) field.edit(edited.targetEventId, line.text, pictures, edited.text);
      else {
        field.put(line);
        field.pictures.set([...pictures, ...field.pictures.get()]);
      }
      const message = refusalText(thrown, words);
      field.said.set({ text: isMessage ? `${words.notSent} ${message}` : message, isProblem: true });
    }
  };
  return (running: Running) => field.during(() => submit(running));
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
