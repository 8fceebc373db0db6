import type { Client, QueuedMessage, SessionStatus } from "@scorel/host/contract";
import type { Keys } from "./keys.ts";
import type { Theme } from "./theme/theme.ts";

/** A part of the screen that draws itself as lines and handles keys. Has the same shape as pi-tui's components. */
export interface Component {
  /** The lines that show it, each at most `width` columns wide, with colours as escape sequences and no other control characters. */
  render(width: number): string[];
  /** Handles one key as the terminal sent it, or a whole paste between ESC[200~ and ESC[201~. */
  handleInput(data: string): void;
  /** Forgets lines kept from earlier drawing, for example after a change of theme. */
  invalidate(): void;
  /** Scrolls by lines, up when negative, as the mouse wheel does. */
  scroll?(by: number): void;
}

/** A position in the lines that a component rendered last. Row and column count from 0. */
export interface Cursor {
  row: number;
  column: number;
}

/** The kind of a field's text: a message, a slash command, or a shell line. */
export type FieldMode = "message" | "command" | "shell";

/** A file or picture that goes with a message. */
export interface Attachment {
  /** The mark that stands for it in the text, such as `@src/cart.ts`. */
  mark: string;
  path?: string;
  /** The bytes of a picture that is in no file. */
  image?: Uint8Array;
}

/** An entry that the user submits from the field. */
export interface Submission {
  mode: FieldMode;
  /** The text without the mark of its mode: `help` for `/help`, `ls` for `!ls`. Long pastes are written out. */
  text: string;
  attachments: readonly Attachment[];
  /** Whether a shell line is hidden from the model (`!!`). */
  silent?: boolean;
}

/** The field that the user types in. Its text is a message, unless `/` or `!` is the first character typed into the empty field. */
export interface Field extends Component {
  readonly text: string;
  readonly mode: FieldMode;
  /** Whether the text is a shell line that is hidden from the model (`!!`). */
  readonly silent: boolean;
  /** The attachments whose marks are in the text. */
  readonly attachments: readonly Attachment[];
  /** The position of the terminal's cursor in the lines rendered last; undefined while it must not be shown. */
  readonly cursor: Cursor | undefined;
  /**
   * Replaces the text and its attachments (default: none). `mode` is its mode (default: message), whatever the text begins with. A mark in
   * the text stands for an attachment only if that is given.
   */
  setText(text: string, mode?: FieldMode, silent?: boolean, attachments?: readonly Attachment[]): void;
  /** Empties the field. Its text can be recalled from the history, with its pictures while this process runs. */
  putAside(): void;
  /** Restores the text that was being written, if an entry of the history is shown instead. */
  leaveHistory(): void;
  /** Called to send an entry, or to queue it while a turn runs. */
  onSubmit: (submission: Submission) => void;
  /** Called to send an entry into the running turn. */
  onSteer: (submission: Submission) => void;
  /** Returns whether the text answers a question. Answers are not stored in the history. Set by the application. */
  isAnswer?: () => boolean;
  /** Called when `?` is typed into the empty field. */
  onHelp: () => void;
  /** Called with each key that the field does not use. */
  onUnused: (data: string) => void;
  /** Writes the draft to the disk now. */
  keepDraft(): void;
  /** Stops timers and writes the draft to the disk. */
  close(): Promise<void>;
}

/** A list to choose from. While it is open, it gets all keys. */
export interface Picker<Item> extends Component {
  onChoose: (item: Item) => void;
  onCancel: () => void;
  readonly cursor?: Cursor | undefined;
}

/** The parts of the application that fields and pickers use. */
export interface Surroundings {
  readonly client: Client;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The session that is shown; undefined while it is being opened. */
  readonly sessionId: string | undefined;
  readonly status: SessionStatus | undefined;
  readonly queue: readonly QueuedMessage[];
  readonly theme: Theme;
  readonly keys: Keys;
  /** Rows of the screen. */
  readonly rows: number;
  /** Requests that the screen is drawn again. */
  redraw(): void;
  /** Shows a line above the field, until the next key. */
  tell(text: string, level?: "info" | "warning" | "error"): void;
  /** Gives the terminal to another program, such as an editor, while `work` runs, and redraws everything afterwards. */
  suspended<R>(work: () => Promise<R>): Promise<R>;
}
