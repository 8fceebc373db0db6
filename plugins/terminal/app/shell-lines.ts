import { randomUUID } from "node:crypto";
import type {} from "@scorel/coding/contract";
import type { SessionView } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import type { EventId } from "@scorel/kernel";

interface ShellLinesParts {
  client: Client;
  view(): SessionView | undefined;
  /** The id of the session that is shown. Throws while it is being opened. */
  opened(): string;
}

/** Runs shell lines, which a user types after `!`. Their output is stored as events of the session. */
export class ShellLines {
  private readonly parts: ShellLinesParts;
  /** Ids of the shell lines that this application has started. */
  private readonly own = new Set<EventId>();

  constructor(parts: ShellLinesParts) {
    this.parts = parts;
  }

  async run(sessionId: string, command: string, silent: boolean): Promise<void> {
    const asked = { sessionId, command, silent, messageId: randomUUID() };
    const { eventId } = await this.parts.client.request("run_shell", asked);
    this.own.add(eventId);
  }

  /** The shell line that Esc ends: the latest one of this application; when no turn runs, also one of another client. */
  get running(): EventId | undefined {
    const view = this.parts.view();
    const lines = (view?.live ?? []).filter((each) => each.kind === "call" && each.typedBy !== undefined);
    const own = lines.findLast(({ id }) => this.own.has(id));
    return (own ?? (view?.status.running === true ? undefined : lines.at(-1)))?.id;
  }

  async end(eventId: EventId): Promise<void> {
    const { client, opened } = this.parts;
    await client.request("end_shell", { sessionId: opened(), eventId });
  }
}
