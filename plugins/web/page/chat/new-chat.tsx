import type { Obeyed, RemoteClient } from "@scorel/host/client";
import { useState } from "react";
import { fromHere } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { Answer } from "./answered.tsx";
import { AttachButton, Attached } from "./attachments.tsx";
import { leaveBegun, openBegun } from "./begun.ts";
import { hasContent } from "./composer.tsx";
import { useDropping } from "./dropping.ts";
import type { Field } from "./field.ts";
import { useField } from "./fields.ts";
import { meant, messageOf, written } from "./line.ts";
import { LineField } from "./line-field.tsx";
import { type Chosen, NewOptions, useSample } from "./new-options.tsx";
import { readyToSend } from "./ready-to-send.ts";
import { refusalText } from "./refusal-text.ts";
import { type Entered, enter } from "./send.ts";
import { showAnswer } from "./show-answer.ts";

/** A session that is created with its first message. */
export function NewChat({ device, directory, onMenu }: { device: Device; directory: string; onMenu(): void }) {
  const words = useWords();
  const { client } = device;
  const field = useField(device.keyOf(`new:${directory}`));
  const [chosen, setChosen] = useState<Chosen>({});
  const sampled = useSample(client, directory, chosen.preset);
  const line = useStore(field);
  const said = useStore(field.said);
  const isEmpty = !hasContent(line, useStore(field.pictures).length);
  const { isDropping, dropping } = useDropping(field);
  const { isSent, begin } = useBeginning({ device, field, options: { cwd: directory, ...chosen } });
  return (
    <article className={isDropping ? "chat new dropping" : "chat new"} aria-label={words.newSession} {...dropping}>
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
        {said && <Answer said={said} onClose={() => field.said.set(undefined)} />}
        <Attached field={field} />
        <LineField
          client={client}
          sessionId={sampled.sample?.status.sessionId}
          field={field}
          rows={4}
          takesFocus
          onSubmit={() => void begin()}
          onEscape={() => {}}
        />
        <div className="composer-keys">
          <span className="marks-hint">{words.marksHint}</span>
          {line.mode === "message" && <AttachButton field={field} />}
          <button type="submit" className="primary" disabled={isSent || isEmpty}>
            {line.mode === "message" ? words.send : words.run}
          </button>
        </div>
      </form>
      <NewOptions client={client} directory={directory} sampled={sampled} chosen={chosen} onChange={setChosen} />
    </article>
  );
}

type Options = { cwd: string } & Chosen;

/** Creates the session with the content of the field, which then becomes the session's field. If that fails, the content returns to it. */
function useBeginning({ device, field, options }: { device: Device; field: Field; options: Options }) {
  const words = useWords();
  useStore(field.busy);
  const isSent = () => field.busy.get() > 0 || field.place !== device.keyOf(`new:${options.cwd}`);
  const begin = async () => {
    const goOn = fromHere();
    const isThere = await readyToSend(field, device.client, words);
    if (isThere === undefined) return;
    const line = field.get();
    const isMessage = meant(line).mode === "message";
    const pictures = isMessage ? field.pictures.get() : [];
    if (!hasContent(line, pictures.length)) return;
    if (!isThere) return field.said.set({ text: words.notSentAway, isProblem: true });
    field.said.set(undefined);
    // What is written from now on belongs to the session. No cursor on a phone, since it would open the keyboard again.
    field.set(matchMedia("(pointer: coarse)").matches ? messageOf("") : { ...messageOf(""), caret: 0 });
    if (pictures.length > 0) field.pictures.set([]);
    try {
      const beginning = beginSession(device.client, options, { line, pictures, running: "follow_up" });
      const begun = await (isMessage ? field.keepUntil(written(line), beginning) : beginning);
      await openBegun(device, begun.sessionId, field);
      await showAnswer(field, begun.answered, words);
      const { leave = false, sessionId = begun.sessionId } = begun.answered;
      const isShown = goOn(leave ? { at: "home" } : { at: "session", sessionId }, { replace: true });
      if (!isShown || leave || sessionId !== begun.sessionId) leaveBegun(device, begun.sessionId);
    } catch (thrown) {
      field.put(line);
      field.pictures.set([...pictures, ...field.pictures.get()]);
      field.said.set({ text: `${words.notSent} ${refusalText(thrown, words)}`, isProblem: true });
    }
  };
  return { isSent: isSent(), begin: async () => isSent() || field.during(begin) };
}

/**
 * Creates a session, and sends or runs what was entered. If the host refuses that, the session is closed again, so that nothing is stored.
 */
async function beginSession(client: RemoteClient, options: Options, entered: Entered) {
  const { sessionId } = await client.request("create_session", { attending: true, ...options });
  try {
    // Before the message, so that questions find a client that answers.
    await client.request("attend_requests", { sessionId });
    const answered: Obeyed = await enter(client, sessionId, entered);
    return { sessionId, answered };
  } catch (thrown) {
    await client.request("close_session", { sessionId });
    throw thrown;
  }
}
