import type { SessionView } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import type { Entered } from "../input/line-mode.ts";

/** The events of the conversation that the application handles. */
export interface Listener {
  /** Another session is shown. */
  entered(view: SessionView): void;
  changed(change: Parameters<Parameters<SessionView["subscribe"]>[0]>[0]): void;
  /**
   * Text to show that is not part of the log: the output of a command, a notification, an error. With `isOfTurn` it is about the latest
   * turn, and is removed when the user goes back to before that. Returns a function that removes it.
   */
  told(text: string, level: "info" | "warning" | "error" | "plain", isOfTurn?: boolean): () => void;
  passed(delivered: Delivered): void;
  /** Text to put into the field: a message with its attachments, or a command or shell line that only has to be sent. */
  offered(entered: Pick<Entered, "text"> & Partial<Entered>): void;
  /** The list of entries that are not sent yet has changed, so the draft has to be written. */
  unsent(): void;
  /** The list of entries that are shown as not yet taken by the host has changed. */
  waits(): void;
  copied(text: string): void;
  /** The user has asked to leave. */
  left(): void;
}
