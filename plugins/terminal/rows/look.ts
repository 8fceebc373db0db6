import type { Pictures } from "../screen/pictures.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import type { Drawing } from "./drawing.ts";

/** How rows are drawn. A change makes a new object, so that what was drawn before is drawn again. */
export interface Look {
  theme: Theme;
  words: Words;
  drawing: Drawing;
  /** Shows pictures, in a terminal that can. */
  pictures?: Pictures | undefined;
  /** Outputs are shown whole, and thinking is shown. */
  isExpanded: boolean;
  showsThinking: boolean;
  /** The keys that change these two, as people write them. */
  expandKey: string;
  thinkingKey: string;
}

/** What is known of a row beside its display. */
export interface RowFacts {
  /** How long the tool ran, in milliseconds. */
  durationMs?: number | undefined;
  /** The exit code of a command that has ended. */
  exitCode?: number | undefined;
  /** Why a person has said no to the call; empty if they did not say. */
  refused?: string | undefined;
  /** The tool waits until others have ended. */
  isWaiting?: boolean;
  /** Who wrote a message or a line for the shell, if somebody else did. */
  author?: string | undefined;
  /** How many lines of a folded output are shown; default: a few, by its state. */
  shownLines?: number;
  /** The row alone is shown whole. */
  isOpen?: boolean;
}

/** A time as people say it: `0.4 s`, `12 s`, `3 min 5 s`. */
export function timeText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The same in whole seconds, for a time that goes on. */
export function secondsText(ms: number): string {
  return ms < 10_000 ? `${Math.floor(ms / 1000)} s` : timeText(ms);
}
