import type { DisplayAction } from "@scorel/kernel";
import { useContext, useState } from "react";
import { Markdown } from "../markdown/markdown.tsx";
import { useWords } from "../words/words.ts";
import { Card } from "./card.tsx";
import { Diff } from "./diff.tsx";
import { LongText } from "./long-text.tsx";
import type { Outcome } from "./outcome.ts";
import { WholeContext } from "./room.ts";
import { safeLine, safeText } from "./safe.ts";

type Of<D extends DisplayAction["display"]> = Extract<DisplayAction, { display: D }>;

/** Shows an event in the form that its plugin has chosen. */
export function Display({ display, outcome }: { display: DisplayAction; outcome?: Outcome }) {
  switch (display.display) {
    case "bubble":
      return <Bubble {...display} />;
    case "notice":
      return (
        <p className={`notice ${display.level}`}>
          <LongText text={safeText(display.text.trimEnd())} />
        </p>
      );
    case "marker":
      return (
        <p className="marker">
          <LongText text={safeLine(display.text)} />
        </p>
      );
    case "badge":
      return (
        <span className="badge">
          <LongText text={safeLine(display.text)} />
        </span>
      );
    case "fold":
      return <Fold title={display.title} text={display.text} />;
    case "diff":
      return <Diff path={display.path} text={display.text} />;
    case "list":
      return <Steps {...display} />;
    case "card":
      return <Card {...display} outcome={outcome} Body={Display} />;
    default:
      return null;
  }
}

function Bubble({ role, text, thinking, label, partial }: Of<"bubble">) {
  const words = useWords();
  const marks = [label, partial ? words.partial : undefined].filter((mark) => mark !== undefined);
  const note = marks.length > 0 && (
    <span className="badge">
      <LongText text={marks.map(safeLine).join(", ")} />
    </span>
  );
  if (role === "user")
    return (
      <div className="bubble user">
        <h3 className="hidden">{words.you}</h3>
        <div className="plain">
          <LongText text={safeText(text.trimEnd())} />
        </div>
        {note}
      </div>
    );
  return (
    <div className="bubble assistant">
      <h3 className="hidden">{words.assistant}</h3>
      {thinking && <Fold title={words.thought} text={thinking} />}
      <Markdown text={text} />
      {note}
    </div>
  );
}

/** Long text under a title. It is closed at first. */
export function Fold({ title, text }: { title: string; text: string }) {
  const isOpen = useContext(WholeContext);
  const [wasOpened, setOpened] = useState(isOpen);
  return (
    <details className="fold" open={isOpen} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>
        <LongText text={safeLine(title)} />
      </summary>
      {wasOpened && (
        <pre className="plain">
          <LongText text={safeText(text.trimEnd())} />
        </pre>
      )}
    </details>
  );
}

const BOXES = { open: "☐", active: "▶", done: "☑" };

function Steps({ title, items, text }: Of<"list">) {
  if (items.length === 0)
    return (
      <p className="notice info">
        <LongText text={safeText(text)} />
      </p>
    );
  return (
    <div className="steps">
      {title !== undefined && (
        <strong>
          <LongText text={safeLine(title)} />
        </strong>
      )}
      <ul>
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items of one event do not change.
          <li key={at} className={item.state}>
            {item.state === undefined ? "" : `${BOXES[item.state]} `}
            <LongText text={safeLine(item.text)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
