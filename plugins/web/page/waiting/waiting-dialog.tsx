import { useEffect, useState } from "react";
import { fragmentOf } from "../app/place.ts";
import { askedIn } from "../chat/asked.ts";
import { lengthOf, QuestionBody } from "../chat/question-body.tsx";
import { Question } from "../chat/questions.tsx";
import { safeLine, safeText } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { RightsContext, useRights } from "../host/rights.ts";
import { titleOf } from "../sidebar/title.ts";
import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";
import { NotificationChoice } from "./notification-choice.tsx";
import { Waiting, type WaitingSession } from "./waiting.ts";
import { useAllWaiting } from "./waiting-button.tsx";

/** Most lines of a question that is answered here. A longer one is answered in its session, where there is room to read it. */
const MOST_LINES = 30;
const MOST_CHARACTERS = 3_000;

/** All open questions of all sessions and devices, to answer them here or to open their sessions. */
export function WaitingDialog({ devices, onClose }: { devices: Devices; onClose(): void }) {
  const words = useWords();
  const others = useStore(devices.others);
  const count = useAllWaiting(devices);
  return (
    <Dialog title={words.allWaiting} onClose={onClose}>
      {count === 0 && <p className="muted">{words.waitingCount(0)}</p>}
      <WaitingAt device={devices.own} onClose={onClose} />
      {others.map(
        ({ id, name, device }) =>
          device && <WaitingAt key={id} device={device} name={safeLine(name)} onClose={onClose} />,
      )}
      <NotificationChoice device={devices.own} />
    </Dialog>
  );
}

/** The open questions at one device, with its name unless it is the page's own host. */
function WaitingAt({ device, name, onClose }: { device: Device; name?: string; onClose(): void }) {
  const [waiting] = useState(() => new Waiting(device));
  useEffect(() => waiting.begin(), [waiting]);
  const sessions = useStore(waiting.sessions);
  const rights = useStore(device.rights);
  if (sessions.length === 0) return null;
  return (
    <RightsContext value={rights}>
      {name !== undefined && <h3>{name}</h3>}
      <ul className="waiting" aria-label={name}>
        {sessions.map((each) => (
          <Item key={each.session.sessionId} device={device} waiting={each} onClose={onClose} />
        ))}
      </ul>
    </RightsContext>
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
  const place = fragmentOf({ at: "session", sessionId: session.sessionId }, device.id);
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

/** A question that is too long to be answered here. */
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
