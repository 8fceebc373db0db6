import type { Connection } from "../wire/connection.ts";
import type { Definition } from "./definitions.ts";

/** What a server needs from its session. */
export interface Surroundings {
  /** Opens a connection. `told` hears of changes until the connection ends. */
  open(definition: Definition, told: { changed(): void; closed(how: string): void }): Promise<Opened>;
  /** Calls `work` after so many milliseconds; returns a function that prevents it. */
  after(ms: number, work: () => void): () => void;
  now(): number;
  /** The tools or the state of a server have changed. */
  changed(): void;
  /** Tells people of a problem. */
  tell(problem: unknown): void;
}
export interface Opened {
  connection: Connection;
  /** Takes the server's secrets out of a text. */
  redact(text: string): string;
}
