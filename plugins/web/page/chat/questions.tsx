import { type OpenRequest, offeredTo, type RemoteClient } from "@scorel/host/client";
import { useMemo, useRef, useState } from "react";
import { singleKeys, useIsWriting } from "../app/keys.ts";
import { useRights } from "../host/rights.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { useAnswerKeys, useRead } from "./answer-keys.ts";
import { askedIn } from "./asked.ts";
import { isComposing } from "./enter-key.ts";
import { QuestionBody } from "./question-body.tsx";
import { leaveQuestion, useTextFocus } from "./text-focus.ts";
import { useEndSeen } from "./whole.ts";

/** The oldest open question. It disappears when anybody has answered it. */
export function Questions({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const [first, ...more] = useStore(session.requests);
  if (!first) return null;
  return <Question key={first.requestId} client={client} sessionId={session.id} request={first} more={more.length} />;
}

interface QuestionProps {
  client: RemoteClient;
  sessionId: string;
  request: OpenRequest;
  /** Number of questions that wait behind it. */
  more: number;
  /** Whether it has been answered, by anybody. */
  isOver?: boolean;
  /**
   * Whether others are shown beside it. Then it has no keys of its own, and its buttons work only after it was visible for a moment, since
   * it may have appeared under the finger.
   */
  isOneOfMany?: boolean;
}

const NO_KEYS: readonly never[] = [];

/** A question with exactly what it is about, and its answers. */
export function Question({ client, sessionId, request, more, isOver, isOneOfMany }: QuestionProps) {
  const words = useWords();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const { kind, requestId } = request;
  const rights = useRights();
  const { title, asker, parts, options, chosen } = useMemo(
    () => askedIn(offeredTo(request, rights), words),
    [request, rights, words],
  );

  const answer = async (value: string | null) => {
    setSent(true);
    setProblem(undefined);
    const reason = kind !== "input" && text.trim() !== "" ? { reason: text.trim() } : {};
    try {
      await client.request("answer_request", { sessionId, requestId, answer: value, ...reason });
    } catch (thrown) {
      // Another client was faster. The question is about to disappear.
      if ((thrown as { code?: string }).code !== "REQUEST_CLOSED") setProblem((thrown as Error).message);
      setSent(false);
    }
  };

  const place = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useTextFocus(field, kind === "input" && !isOneOfMany);
  const whole = useEndSeen(place);
  // Once its end was scrolled into view, its title may be out of view.
  const isRead = useRead(place, isOneOfMany || whole.isAskedAgain ? "" : "h3, .choices");
  const choose = (value: string) => {
    const agrees = options.find((option) => option.value === value)?.agrees === true;
    if (!isSent && (!agrees || (!whole.isOff && whole.passes()))) void answer(value);
  };
  useAnswerKeys(isOneOfMany ? NO_KEYS : options, isRead, choose);
  const isWriting = useIsWriting();
  const areKeysOn = useStore(singleKeys) && !isOneOfMany && !isWriting;
  const isOff = isSent || isOver || (isOneOfMany && !isRead);
  const refusal = options.find(({ agrees }) => !agrees);
  const label = kind === "input" ? words.answer : refusal ? words.reasonForNo : words.reason;
  const written = (
    <input
      ref={field}
      disabled={isOver}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event) || isOneOfMany) return;
        event.preventDefault();
        leaveQuestion();
      }}
    />
  );

  return (
    <section ref={place} className="question" aria-label={words.asked} tabIndex={-1} data-room>
      <h3>
        {title} {more > 0 && <span className="badge">+{more}</span>}
      </h3>
      {asker !== undefined && <p className="muted">{words.asks(asker)}</p>}
      <QuestionBody parts={parts} isEndSeen={whole.isSeen} />
      {whole.isAskedAgain && <p role="status">{words.notAllSeen}</p>}
      {problem && <p role="alert">{problem}</p>}
      <form
        className="answers"
        onSubmit={(event) => {
          event.preventDefault();
          if (kind === "input") void answer(text);
          else if (refusal && !isOff) choose(refusal.value);
        }}
      >
        {kind === "input" && written}
        {kind === "input" && (
          <button type="submit" className="primary" disabled={isOff}>
            {words.answer}
          </button>
        )}
        {options.length > 0 && (
          <div className="choices">
            {options.map(({ value, label, agrees }, at) => {
              const isEarly = !isRead || (agrees && whole.isOff);
              return (
                <button
                  key={value}
                  type="button"
                  className={value === chosen ? "primary" : undefined}
                  disabled={isOff || (agrees && whole.isOff)}
                  aria-keyshortcuts={areKeysOn && !isEarly && at < 9 ? `${at + 1}` : undefined}
                  onClick={() => choose(value)}
                >
                  {areKeysOn && at < 9 && (
                    <span className="key" aria-hidden="true" data-early={isEarly || undefined}>
                      {at + 1}
                    </span>
                  )}
                  {label}
                </button>
              );
            })}
          </div>
        )}
        {kind !== "input" && written}
        {kind === "input" && (
          <button type="button" disabled={isOff} onClick={() => void answer(null)}>
            {words.decline}
          </button>
        )}
      </form>
    </section>
  );
}
