import type { Client, QueuedMessage, SessionStatus } from "@scorel/host/contract";
import type { Keys } from "./keys.ts";
import type { Theme } from "./theme/theme.ts";

/** A part of the screen: it draws itself as lines and takes keys. The form of pi-tui's components. */
export interface Component {
  /** The lines that show it, each at most `width` columns wide, with colours as escape sequences and no other control characters. */
  render(width: number): string[];
  /** Takes one key as the terminal sent it, or a whole paste between ESC[200~ and ESC[201~. */
  handleInput(data: string): void;
  /** Forgets what it has kept of earlier drawing, as after a change of theme. */
  invalidate(): void;
}

/** A place in the lines that a component rendered last, counted from 0. */
export interface Cursor {
  row: number;
  column: number;
}

/** What a field's text is: a message, a slash command, or a line for the shell. */
export type FieldMode = "message" | "command" | "shell";

/** A file or picture that goes with a message. */
export interface Attachment {
  /** What names it in the text, such as `@src/cart.ts`. */
  mark: string;
  path?: string;
  /** The picture itself, if it is in no file. */
  image?: Uint8Array;
}

/** What a person has entered. */
export interface Submission {
  mode: FieldMode;
  /** Without the mark that chose the mode: `help` for `/help`, `ls` for `!ls`. Long pastes are written out. */
  text: string;
  attachments: readonly Attachment[];
  /** For a shell line: the model is not told of it (`!!`). */
  silent?: boolean;
}

/** The field that a person types in. It is a message until `/` or `!` is the first character typed into it while it is empty. */
export interface Field extends Component {
  readonly text: string;
  readonly mode: FieldMode;
  /** Where the terminal's cursor belongs in the lines rendered last; undefined while it must not be shown. */
  readonly cursor: Cursor | undefined;
  /** Replaces the text by a message, or by a text of the named mode. What stands in it is never read as a command. */
  setText(text: string, mode?: FieldMode, silent?: boolean): void;
  /** Empties the field. Its text comes back from the history, with its pictures while this process runs. */
  putAside(): void;
  /** Brings back what was being written, if a text of the history stands in its place. */
  leaveHistory(): void;
  /** Sends or queues. */
  onSubmit: (submission: Submission) => void;
  /** Sends into the running turn. */
  onSteer: (submission: Submission) => void;
  /** `?` was typed into the empty field. */
  onHelp: () => void;
  /** Gets each key that the field has no use for. */
  onUnused: (data: string) => void;
  /** Writes the draft to the disk now. */
  keepDraft(): void;
  /** Stops timers and writes the draft to the disk. */
  close(): Promise<void>;
}

/** A list that one chooses from, above the field. While it is open, it gets all keys. */
export interface Picker<Item> extends Component {
  onChoose: (item: Item) => void;
  onCancel: () => void;
  readonly cursor?: Cursor | undefined;
}

/** What fields and pickers get of the application. */
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
  /** Draws the screen again soon. */
  redraw(): void;
  /** Shows a line below the conversation, until the next key. */
  tell(text: string, level?: "info" | "warning" | "error"): void;
  /** Gives the terminal to another program, such as an editor, and draws everything anew afterwards. */
  suspended<R>(work: () => Promise<R>): Promise<R>;
}
