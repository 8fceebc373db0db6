import type { RemoteClient } from "@scorel/host/client";
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import { useStore } from "../store.ts";
import { useWords, type Words } from "../words/words.ts";
import { attach, filesOf } from "./attach.ts";
import { isComposing, madeLine, sendsByEnter, sentBy } from "./enter-key.ts";
import type { Field } from "./field.ts";
import { useKeyboard } from "./keyboard.ts";
import { changed, type Line, markOf, messageOf, unmarked } from "./line.ts";
import type { Running } from "./send.ts";
import { Sources, type Suggestion } from "./suggest.ts";
import { Suggesting, taken } from "./suggesting.ts";
import { optionId, SuggestionList } from "./suggestion-list.tsx";

interface LineFieldProps {
  client: RemoteClient;
  /** The session that provides suggestions; undefined while there is none. */
  sessionId: string | undefined;
  field: Field;
  /** Smallest number of lines. Default: 1. */
  rows?: number;
  /** Whether a message is queued instead of being sent, since a turn is running. */
  isQueued?: boolean;
  /** Whether it is focused when it appears. */
  takesFocus?: boolean;
  onSubmit(running: Running): void;
  /** Called for Esc if the field does not use the key itself. */
  onEscape(): void;
}

/** The text field, with its mark (`/` or `!`) and suggestions. */
export function LineField(props: LineFieldProps) {
  const { client, sessionId, field, rows = 1, isQueued = false, takesFocus = false, onSubmit, onEscape } = props;
  const words = useWords();
  const line = useStore(field);
  const element = useRef<HTMLTextAreaElement>(null);
  const suggesting = useSuggesting(client, sessionId, element);
  const shown = useStore(suggesting.shown);
  const list = useId();
  useShape(element, line);
  useKeyboard(element);

  const ask = (next: Line, caret: number) => suggesting.ask(next, next.text.slice(0, caret));
  const take = (suggestion: Suggestion) => {
    if (!shown) return;
    const next = taken(line, shown, suggestion);
    field.set(next);
    ask(next, next.caret ?? 0);
  };
  const choose = (event: KeyboardEvent) => {
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return false;
    const chosen = shown.items[shown.chosen];
    if (event.key === "ArrowDown") suggesting.move(1);
    else if (event.key === "ArrowUp") suggesting.move(-1);
    else if (event.key === "Escape") suggesting.close();
    else if (!chosen || event.shiftKey || !["Tab", "Enter"].includes(event.key)) return false;
    // The suggestion is already typed in full, so Enter sends.
    else if (event.key === "Enter" && chosen.text.trimEnd() === shown.before.slice(-shown.length)) return false;
    else take(chosen);
    return true;
  };
  const write = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, currentTarget } = event;
    const running = sentBy(event);
    const isAtStart = currentTarget.selectionStart === 0 && currentTarget.selectionEnd === 0;
    if (running !== undefined) enterWith(running);
    else if (madeLine(event)) suggesting.close();
    else if (key === "Enter" && line.mode !== "message" && !shiftKey) enterWith("follow_up");
    else if (key === "Backspace" && line.mode !== "message" && isAtStart) unmark();
    else if (key === "Escape" && line.mode !== "message" && line.text === "") field.set(messageOf(""));
    else if (key === "Escape") onEscape();
    else return false;
    return true;
  };
  const unmark = () => {
    suggesting.close();
    field.set(unmarked(line));
  };
  const enterWith = (running: Running) => {
    suggesting.close();
    onSubmit(running);
  };
  return (
    <div className={line.mode === "message" ? "composer-line" : "composer-line line"}>
      {line.mode !== "message" && (
        <button
          type="button"
          className="line-mark"
          aria-label={words.toMessage}
          title={words.toMessage}
          onClick={() => field.set({ ...messageOf(line.text), caret: line.text.length })}
        >
          {markOf(line)}
        </button>
      )}
      <textarea
        ref={element}
        aria-label={labelOf(line, words)}
        placeholder={hintOf(line, words, isQueued)}
        aria-autocomplete="list"
        aria-controls={shown ? list : undefined}
        aria-activedescendant={shown ? optionId(list, shown.chosen) : undefined}
        rows={rows}
        // biome-ignore lint/a11y/noAutofocus: where it is asked for, the field is what the place is for.
        autoFocus={takesFocus}
        value={line.text}
        onChange={({ target, nativeEvent }) => {
          const { inputType: how = "", data: added = null } = nativeEvent as InputEvent;
          const next = changed(line, target.value, { how, added });
          field.set(next);
          // Pasted text gets no suggestions.
          if (how.startsWith("insertFrom")) suggesting.close();
          else ask(next, next.text === target.value ? target.selectionStart : 0);
        }}
        onPaste={(event) => {
          const files = filesOf(event.clipboardData);
          if (files.length === 0) return;
          event.preventDefault();
          void attach(field, files, words);
        }}
        onKeyDown={(event) => {
          if (isComposing(event) || !(choose(event) || write(event))) return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onSelect={({ currentTarget: { value, selectionStart } }) => {
          if (shown && value.slice(0, selectionStart) !== shown.before) suggesting.close();
        }}
        onBlur={() => suggesting.close()}
      />
      {shown && <SuggestionList id={list} shown={shown} onTake={take} />}
    </div>
  );
}

function labelOf({ mode, isSilent }: Line, words: Words): string {
  if (mode === "message") return words.message;
  return mode === "command" ? words.command : isSilent ? words.shellSilent : words.shellLine;
}

function hintOf({ mode, isSilent }: Line, words: Words, isQueued: boolean): string {
  if (mode === "message") return isQueued ? words.queuedHint(sendsByEnter()) : words.placeholder(sendsByEnter());
  return mode === "command" ? words.commandHint : isSilent ? words.shellSilent : words.shellHint;
}

/** Suggestions from a session. If text was typed before there was one, asks for suggestions for it as soon as there is. */
function useSuggesting(
  client: RemoteClient,
  sessionId: string | undefined,
  element: RefObject<HTMLTextAreaElement | null>,
): Suggesting {
  const suggesting = useMemo(() => {
    const sources = sessionId === undefined ? undefined : new Sources(client, sessionId);
    return new Suggesting(async (...asked) => sources?.find(...asked));
  }, [client, sessionId]);
  const unanswered = useRef<Suggesting>(undefined);
  useEffect(() => {
    const asked = unanswered.current?.asked;
    const { value = "", selectionStart = 0 } = element.current ?? {};
    unanswered.current = sessionId === undefined ? suggesting : undefined;
    if (asked && value.slice(0, selectionStart) === asked.before) suggesting.ask(asked.line, asked.before);
  }, [suggesting, sessionId, element]);
  return suggesting;
}

/** Adapts the height of the field to its text, and moves the cursor if a change requires that. */
function useShape(element: { readonly current: HTMLTextAreaElement | null }, line: Line) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text.
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    current.style.height = "auto";
    // The height must include the borders: otherwise the field would scroll by their width.
    current.style.height = `${current.scrollHeight + current.offsetHeight - current.clientHeight}px`;
  }, [line.text]);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current || line.caret === undefined) return;
    current.focus();
    current.setSelectionRange(line.caret, line.caret);
  }, [element, line]);
}
