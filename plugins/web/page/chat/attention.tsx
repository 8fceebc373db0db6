import { useEffect, useRef, useState } from "react";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { askedIn } from "./asked.ts";
import type { Field } from "./field.ts";
import { Hearing } from "./hearing.ts";

/** Speaks replies, sentence by sentence, and questions, for people who use a screen reader. */
export function Spoken({ session }: { session: OpenSession }) {
  return (
    <>
      <Sentences session={session} />
      {session.rights.answer && <Asked session={session} />}
      <Finished session={session} />
    </>
  );
}

function Sentences({ session }: { session: OpenSession }) {
  const [hearing] = useState(() => new Hearing(session));
  useEffect(() => hearing.begin(), [hearing]);
  const heard = useStore(hearing.heard);
  return (
    <div className="hidden" aria-live="polite" aria-relevant="additions">
      {heard.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}

/** Announces the question above the field when it appears. */
function Asked({ session }: { session: OpenSession }) {
  const words = useWords();
  const [first] = useStore(session.requests);
  const [told, setTold] = useState("");
  const question = first && `${words.asked}: ${askedIn(first, words).title}`;
  useEffect(() => setTold(question ?? ""), [question]);
  return (
    <p className="hidden" role="alert">
      {told}
    </p>
  );
}

/** Announces once that a reply is complete, or that the turn has ended without one. */
function Finished({ session }: { session: OpenSession }) {
  const words = useWords();
  const { running } = useStore(session.status);
  const [told, setTold] = useState("");
  const wasRunning = useRef(running);
  useEffect(() => {
    const hasEnded = wasRunning.current && !running;
    wasRunning.current = running;
    setTold(hasEnded ? (isAnswered(session) ? words.finished : words.turnEnded) : "");
  }, [running, session, words]);
  return (
    <p className="hidden" role="status">
      {told}
    </p>
  );
}

/** Whether the conversation ends with a complete reply. */
function isAnswered({ entries }: OpenSession): boolean {
  const display = entries.get().findLast(({ row }) => row?.display.display === "bubble")?.row?.display;
  return display?.display === "bubble" && display.role === "assistant" && !display.partial;
}

/** Returns the focus to the field when a question was answered. Not on a phone, since that would open the keyboard. */
export function useFocusBack(session: OpenSession, field: Field): void {
  const count = useStore(session.requests).length;
  const before = useRef(count);
  useEffect(() => {
    const isAnswered = count < before.current;
    before.current = count;
    const isFree = document.activeElement === null || document.activeElement.matches("body, main");
    if (isAnswered && count === 0 && isFree && !matchMedia("(pointer: coarse)").matches) field.focus();
  }, [count, field]);
}

/** Lets Esc stop from anywhere in the page, unless the focused element uses the key itself. */
export function useEscape(isOn: boolean, stop: () => void): void {
  const current = useRef(stop);
  current.current = stop;
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isTaken(event.target)) return;
      event.preventDefault();
      current.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOn]);
}

/** Whether an element uses Esc itself: a field, an open list, or anything while a dialog is open. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], [role=menu]")) return true;
  return target instanceof Element && target.matches("input, textarea, select");
}
