import type { TurnOutcome } from "@scorel/agent/contract";
import type { Kernel } from "@scorel/kernel";
import type { Composition, Notice, Workspace } from "./contract.ts";

/** What a session is made of, as the loader answers it. */
export type SessionPlugins = Awaited<ReturnType<Composition["sessionPlugins"]>>;

/** A session whose kernel runs. */
export interface OpenSession {
  readonly id: string;
  readonly kernel: Kernel;
  readonly workspace: Workspace;
  /** What was left out when it was opened. */
  readonly problems: readonly Notice[];
  /** What it is made of. */
  readonly made: SessionPlugins;
  /** Turns by the id of the message that each serves. */
  readonly turns: Map<string, Promise<TurnOutcome>>;
  /** Connections that have it open; it is closed with the last of them. */
  readonly users: Set<object>;
  /** Told when it has been opened anew, with what then stands in its place. */
  readonly followers: Set<(session: OpenSession) => void>;
}
