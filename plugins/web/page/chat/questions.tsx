import type { OpenRequest, RemoteClient } from "@scorel/host/client";
import { useState } from "react";
import { decided, decidedText } from "../display/decided.ts";
import { Display } from "../display/display.tsx";
import { safeLine } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** The question that was asked first. It vanishes when anybody has answered it. */
export function Questions({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const [first, ...more] = useStore(session.requests);
  if (!first) return null;
  return <Question key={first.requestId} client={client} session={session} request={first} more={more.length} />;
}

interface QuestionProps {
  client: RemoteClient;
  session: OpenSession;
  request: OpenRequest;
  /** How many others wait behind it. */
  more: number;
}

/** A question with exactly what it is about, and its answers. */
function Question({ client, session, request, more }: QuestionProps) {
  const words = useWords();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const { kind, title, body = [], requestId } = request;
  const options =
    kind === "confirm"
      ? [
          { value: "y", label: words.yes },
          { value: "n", label: words.no },
        ]
      : (request.options ?? []);

  const answer = async (value: string | null) => {
    setSent(true);
    setProblem(undefined);
    const reason = kind !== "input" && text.trim() !== "" ? { reason: text.trim() } : {};
    try {
      await client.request("answer_request", { sessionId: session.id, requestId, answer: value, ...reason });
    } catch (thrown) {
      // Somebody else was faster: the question is about to vanish.
      if ((thrown as { code?: string }).code !== "REQUEST_CLOSED") setProblem((thrown as Error).message);
      setSent(false);
    }
  };

  return (
    <section className="question" aria-label={words.asked}>
      <h3 role="alert">
        {safeLine(decidedText(title))} {more > 0 && <span className="badge">+{more}</span>}
      </h3>
      <div className="question-body">
        {body.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a question do not change.
          <Display key={at} display={decided(part)} />
        ))}
      </div>
      {problem && <p role="alert">{problem}</p>}
      <form
        className="answers"
        onSubmit={(event) => {
          event.preventDefault();
          if (kind === "input") void answer(text);
        }}
      >
        <input
          aria-label={kind === "input" ? words.answer : words.reason}
          placeholder={kind === "input" ? words.answer : words.reason}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {kind === "input" && (
          <button type="submit" className="primary" disabled={isSent}>
            {words.answer}
          </button>
        )}
        {options.map(({ value, label }) => (
          <button key={value} type="button" disabled={isSent} onClick={() => void answer(value)}>
            {safeLine(decidedText(label))}
          </button>
        ))}
        {kind === "input" && (
          <button type="button" disabled={isSent} onClick={() => void answer(null)}>
            {words.decline}
          </button>
        )}
      </form>
    </section>
  );
}
