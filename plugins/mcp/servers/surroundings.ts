import type { Connection } from "../wire/connection.ts";
import type { Definition } from "./definitions.ts";

/** The parts of the session that one MCP server uses. */
export interface Surroundings {
  /** Opens a connection, unless `signal` aborts before. Until it ends, `told` is called about changes. */
  open(
    definition: Definition,
    told: { changed(): void; closed(how: string): void; signal: AbortSignal },
  ): Promise<Opened>;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
  now(): number;
  /** Called when the tools or the state of a server have changed. */
  changed(): void;
  /** Shows a problem to people. */
  tell(problem: unknown): void;
}
export interface Opened {
  connection: Connection;
  /** Removes the server's secrets from text. */
  redact(text: string): string;
}
