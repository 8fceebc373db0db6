import type { DisplayAction } from "@scorel/kernel";
import { type ComponentType, useContext, useState } from "react";
import { sessionAddress } from "../app/place.ts";
import { useWords } from "../words/words.ts";
import { LongText } from "./long-text.tsx";
import { type Outcome, timeText } from "./outcome.ts";
import { WholeContext } from "./room.ts";
import { safeText, titleLine } from "./safe.ts";

/** A closed card shows this many characters of the end of its text. */
const TAIL = 600;
const TAIL_LINES = 8;
/** Most characters in the title of a closed card. An open one, as in a question, shows all of it. */
const TITLE = 500;

interface CardProps {
  title: string;
  status: "running" | "done" | "error";
  text: string;
  body?: DisplayAction[] | undefined;
  /** The session that does the work. */
  session?: string | undefined;
  outcome?: Outcome | undefined;
  /** Renders the parts of the body. */
  Body: ComponentType<{ display: DisplayAction }>;
}

/**
 * A unit of work, such as a tool call. A closed card shows changes to files, and the end of the output if the work has failed or is still
 * running.
 */
export function Card({ title, status, text, body = [], session, outcome = {}, Body }: CardProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(useContext(WholeContext));
  // A command that has run to its end may still have failed.
  const look = status === "done" && outcome.exitCode ? "warned" : status;
  const state = { running: words.running, done: words.done, error: words.failed, warned: words.failed }[look];
  const changes = body.filter(({ display }) => display === "diff" || display === "list");
  const address = sessionAddress(session);
  const tail = look === "done" || isOpen ? "" : endOf(text);
  return (
    <section className={`card ${look}`}>
      <button type="button" className="card-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className={`dot ${look}`} role="img" aria-label={state} />
        <span className="card-title">{isOpen ? <LongText text={titleLine(title)} /> : shortLine(title)}</span>
        <Ending outcome={outcome} />
      </button>
      {address !== undefined && (
        <a className="card-session" href={address}>
          {words.openItsSession}
        </a>
      )}
      {tail !== "" && <pre className="plain tail">{safeText(tail)}</pre>}
      {isOpen && body.length === 0 && text.trim() !== "" && (
        <pre className="plain">
          <LongText text={safeText(text.trimEnd())} />
        </pre>
      )}
      {(isOpen ? body : changes).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one event do not change.
        <Body key={at} display={part} />
      ))}
    </section>
  );
}

/** Exit code and duration of a command. */
function Ending({ outcome: { exitCode = 0, durationMs = 0 } }: { outcome: Outcome }) {
  const words = useWords();
  const parts = [exitCode === 0 ? undefined : words.exitCode(exitCode), timeText(durationMs)];
  const text = parts.filter((part) => part !== undefined).join(" · ");
  return text === "" ? null : <span className="card-ending">{text}</span>;
}

function shortLine(title: string): string {
  return title.length > TITLE ? `${titleLine(title.slice(0, TITLE))}…` : titleLine(title);
}

/** The last lines of the text. */
export function endOf(text: string): string {
  return text.slice(-TAIL).trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
