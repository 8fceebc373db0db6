import type { DisplayAction } from "./display.ts";

/** What a question may say beside its title. */
export interface Asking<V> {
  /** Holds when nobody answers: no client could, the person left the question, or its plugin or session ended. */
  default?: V | undefined;
  /** What it is about, such as a command or a diff; shown whole. */
  details?: string | readonly DisplayAction[] | undefined;
  /**
   * Takes the question back when it aborts, and rejects with its reason. Without one a question of a hook's layer or of a
   * tool belongs to all that is waited for of its plugin.
   */
  signal?: AbortSignal | undefined;
}
/** One of the answers of a `select`: a text that is its own label, or a value with another one. */
export type Choice<V extends string> = V | { value: V; label: string };
export type NoticeLevel = "info" | "warning" | "error";

/** How a plugin speaks with the people who watch its session, whichever client they use. Nothing in it reaches the model. */
export interface Ui {
  /** Whether a client is there that answers; without one each question has its default at once. */
  readonly attended: boolean;
  /** One of several answers. */
  select<V extends string>(
    title: string,
    choices: readonly Choice<V>[],
    asking: Asking<V> & { default: V },
  ): Promise<V>;
  select<V extends string>(title: string, choices: readonly Choice<V>[], asking?: Asking<V>): Promise<V | undefined>;
  /** Yes or no; the default is no. */
  confirm(title: string, asking?: Asking<boolean>): Promise<boolean>;
  /** A line of text. */
  input(title: string, asking: Asking<string> & { default: string }): Promise<string>;
  input(title: string, asking?: Asking<string>): Promise<string | undefined>;
  /** A line that every face shows once. Default level: `info`. */
  notify(text: string, level?: NoticeLevel): void;
  /** A few words that faces keep showing, one text for each plugin; none takes it away. */
  status(text?: string): void;
}
