import type { SessionView } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import type { FieldMode } from "../parts.ts";

/** What the conversation tells the application. */
export interface Listener {
  /** Another session is shown. */
  entered(view: SessionView): void;
  changed(change: Parameters<Parameters<SessionView["subscribe"]>[0]>[0]): void;
  /** Something that is not part of the log: the output of a command, a notification, an error. */
  told(text: string, level: "info" | "warning" | "error" | "plain"): void;
  passed(delivered: Delivered): void;
  /** Text for the field: words, or a command or shell line that only has to be sent. */
  offered(text: string, mode?: FieldMode, silent?: boolean): void;
  /** What was entered and is not sent yet has changed. */
  unsent(): void;
  /** What the host has not taken is to be shown, or not any more. */
  waits(): void;
  copied(text: string): void;
  /** The person asked to leave. */
  left(): void;
}
