import { useState } from "react";
import { Display } from "../display/display.tsx";
import { outcomeOf } from "../display/outcome.ts";
import { Picture, picturesIn } from "../display/picture.tsx";
import { WholeContext } from "../display/room.ts";
import { safeLine } from "../display/safe.ts";
import { useRights } from "../host/rights.ts";
import type { Row } from "../host/session.ts";
import { copied } from "../ui/copied.ts";
import { useWords } from "../words/words.ts";
import { userContentOf, withoutPictureMarks } from "./content.ts";

/** Actions on messages. */
export interface MessageDeeds {
  retry(): void;
  edit(row: Row): void;
  rewind(row: Row): void;
}

interface MessageProps {
  row: Row;
  /** The author's name, if it is another person or client. */
  author: string | undefined;
  /** Whether no turn is running, so that the conversation can be rewound. */
  isIdle: boolean;
  isLast: boolean;
  deeds: MessageDeeds;
}

/** A message with its author and actions. */
export function Message({ row, author, isIdle, isLast, deeds }: MessageProps) {
  const words = useWords();
  const mayGoBack = useRights().manage && isIdle;
  const display = withoutMarks(row);
  const pictures = picturesIn(row.event).length > 0 && <Pictures event={row.event} />;
  const hasText = display.display === "bubble" && display.text.trim() !== "";
  if (display.display !== "bubble" || !(hasText || pictures))
    return (
      <>
        {/* The output of a shell line is what its author wants to see, so its card begins open. */}
        <WholeContext value={row.type === "shell_line"}>
          <Display display={display} outcome={outcomeOf(row.event)} />
        </WholeContext>
        {pictures}
      </>
    );
  const isOwn = userContentOf(row.event) !== undefined;
  return (
    <div className={`message ${display.role}${isLast ? " last" : ""}`}>
      {isOwn && author !== undefined && <p className="author">{safeLine(author)}</p>}
      {pictures}
      {hasText && <Display display={display} />}
      {/* biome-ignore lint/a11y/useSemanticElements: these are no fields of a form. */}
      <div className="message-actions" role="group" aria-label={words.messageActions}>
        {hasText && <Copy text={display.text} />}
        {mayGoBack && isOwn && (
          <>
            <button type="button" className="link" onClick={() => deeds.edit(row)}>
              {words.edit}
            </button>
            <button type="button" className="link" onClick={() => deeds.rewind(row)}>
              {words.goBack}
            </button>
          </>
        )}
        {mayGoBack && isLast && (
          <button type="button" className="link" onClick={() => deeds.retry()}>
            {words.retry}
          </button>
        )}
      </div>
    </div>
  );
}

/** The displayed text of a message, without marks for pictures, which are shown beside it. */
function withoutMarks({ display, event }: Row): Row["display"] {
  if (display.display !== "bubble" || picturesIn(event).length === 0) return display;
  return { ...display, text: withoutPictureMarks(display.text) };
}

function Pictures({ event }: { event: object }) {
  const words = useWords();
  return (
    <div className="pictures">
      {picturesIn(event).map((picture, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of one event do not change.
        <Picture key={at} {...picture} name={`${words.picture} ${at + 1}`} />
      ))}
    </div>
  );
}

function Copy({ text }: { text: string }) {
  const words = useWords();
  const [state, setState] = useState<"copied" | "refused">();
  const copy = async () => setState((await copied(text)) ? "copied" : "refused");
  return (
    <button type="button" className="link" onClick={() => void copy()} onBlur={() => setState(undefined)}>
      {state === "copied" ? words.messageCopied : state === "refused" ? words.notCopied : words.copyMessage}
    </button>
  );
}
