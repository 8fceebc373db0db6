import type { Pictures } from "../screen/pictures.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import type { Drawing } from "./drawing.ts";

/** How rows are drawn. Each change makes a new object, so that rows are drawn again. */
export interface Look {
  theme: Theme;
  words: Words;
  drawing: Drawing;
  /** Shows pictures; undefined if the terminal cannot. */
  pictures?: Pictures | undefined;
  /** Whether outputs are shown completely. `showsThinking` says the same of the model's thinking. */
  isExpanded: boolean;
  showsThinking: boolean;
  /** The labels of the keys that change these two. */
  expandKey: string;
  thinkingKey: string;
}

/** Facts about a row that its display does not contain. */
export interface RowFacts {
  /** How long the tool ran, in milliseconds. */
  durationMs?: number | undefined;
  /** The exit code of a command that has ended. */
  exitCode?: number | undefined;
  /** The reason that a person has given for refusing the call; "" without a reason. */
  refused?: string | undefined;
  /** Whether the call waits until others have ended. */
  isWaiting?: boolean;
  /** The name of another client that wrote the message or shell line. */
  author?: string | undefined;
  /** The number of lines of a folded output. Default: a few, depending on its outcome. */
  shownLines?: number;
  /** Whether this row is unfolded. */
  isOpen?: boolean;
}

/** A duration in milliseconds as text: `0.4 s`, `12 s`, `3 min 5 s`. */
export function timeText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A duration in milliseconds as text in whole seconds, for work that goes on. */
export function secondsText(ms: number): string {
  return ms < 10_000 ? `${Math.floor(ms / 1000)} s` : timeText(ms);
}
