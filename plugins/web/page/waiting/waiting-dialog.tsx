import { useEffect, useState } from "react";
import { fragmentOf } from "../app/place.ts";
import { askedIn } from "../chat/asked.ts";
import { lengthOf, QuestionBody } from "../chat/question-body.tsx";
import { Question } from "../chat/questions.tsx";
import { safeLine, safeText } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { useRights } from "../host/rights.ts";
import { titleOf } from "../sidebar/sidebar.tsx";
import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";
import { NotificationChoice } from "./notification-choice.tsx";
import { Waiting, type WaitingSession } from "./waiting.ts";

/** A question that is longer is answered in its session, where there is room to read it. */
const MOST_LINES = 30;
const MOST_CHARACTERS = 3_000;

/** All questions that wait, of all sessions of the host, to be answered or gone to. */
export function WaitingDialog({ device, onClose }: { device: Device; onClose(): void }) {
  const words = useWords();
  const [waiting] = useState(() => new Waiting(device));
  useEffect(() => waiting.begin(), [waiting]);
  const sessions = useStore(waiting.sessions);
  return (
    <Dialog title={words.allWaiting} onClose={onClose}>
      {sessions.length === 0 && <p className="muted">{words.waitingCount(0)}</p>}
      <ul className="waiting">
        {sessions.map((each) => (
          <Item key={each.session.sessionId} device={device} waiting={each} onClose={onClose} />
        ))}
      </ul>
      <NotificationChoice />
    </Dialog>
  );
}

interface ItemProps {
  device: Device;
  waiting: WaitingSession;
  onClose(): void;
}

function Item({ device, waiting, onClose }: ItemProps) {
  const words = useWords();
  const { session, project, request, more, isOver, problem } = waiting;
  const title = titleOf(session, words);
  const place = fragmentOf({ at: "session", sessionId: session.sessionId });
  const { answer } = useRights();
  return (
    <li aria-label={title}>
      <p className="waiting-place">
        <a href={place} onClick={onClose}>
          {title}
        </a>{" "}
        <span className="muted">{words.inProject(safeLine(project))}</span>
      </p>
      {problem !== undefined && <p role="alert">{safeText(problem)}</p>}
      {request &&
        (answer && fits(request, words) ? (
          <Question
            key={request.requestId}
            client={device.client}
            sessionId={session.sessionId}
            request={request}
            more={more}
            isOver={isOver}
            isOneOfMany
          />
        ) : (
          <Long request={request} place={answer ? place : undefined} onClose={onClose} />
        ))}
      {isOver && <p role="status">{words.wasAnswered}</p>}
    </li>
  );
}

type Asking = NonNullable<WaitingSession["request"]>;

function fits(request: Asking, words: Parameters<typeof askedIn>[1]): boolean {
  const [lines, characters] = lengthOf(askedIn(request, words).parts);
  return lines <= MOST_LINES && characters <= MOST_CHARACTERS;
}

/** A question that is only read here. */
function Long({ request, place, onClose }: { request: Asking; place: string | undefined; onClose(): void }) {
  const words = useWords();
  const { title, parts } = askedIn(request, words);
  return (
    <section className="question">
      <h3>{title}</h3>
      <QuestionBody parts={parts} />
      {place !== undefined && (
        <a href={place} onClick={onClose}>
          {words.openToAnswer}
        </a>
      )}
    </section>
  );
}
