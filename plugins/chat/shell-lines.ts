import type {} from "@scorel/coding/contract";
import type { Client, Delivered } from "@scorel/host/contract";
import type { Turns } from "./turns.ts";

/** Matches a shell line: `!` and a command, or `!!` and a command that is hidden from the model. */
const LINE = /^(!!?)\s*(\S[\s\S]*)$/;

/** The running shell lines that this conversation has started. */
export class ShellLines {
  private readonly client: Client;
  private readonly turns: Turns;
  private readonly ends = new Map<string, () => void>();
  /** Ids of shell lines whose end was received before the answer to the request that started them. */
  private readonly over = new Set<string>();
  private begins = 0;

  constructor(client: Client, turns: Turns) {
    this.client = client;
    this.turns = turns;
  }

  /** Runs the text if it is a shell line, and returns whether it is. The conversation waits for its end as for that of a turn. */
  async run(sessionId: string, text: string): Promise<boolean> {
    const [, mark, command] = LINE.exec(text) ?? [];
    if (command === undefined) return false;
    this.begins++;
    try {
      const { eventId } = await this.client.request("run_shell", { sessionId, command, silent: mark === "!!" });
      if (!this.over.has(eventId))
        this.turns.awaitWork(eventId, new Promise<void>((resolve) => this.ends.set(eventId, resolve)));
    } finally {
      if (--this.begins === 0) this.over.clear();
    }
    return true;
  }

  hear({ event }: Delivered): void {
    if (event.type !== "shell_line_end") return;
    const { eventId } = event as { eventId?: unknown };
    if (typeof eventId !== "string") return;
    if (this.begins > 0) this.over.add(eventId);
    this.ended(eventId);
  }

  /** Ends the running shell lines. Returns false when there are none. */
  async end(sessionId: string): Promise<boolean> {
    const running = [...this.ends.keys()];
    for (const eventId of running) await this.client.request("end_shell", { sessionId, eventId });
    return running.length > 0;
  }

  /** Stops waiting for all shell lines, since their end may have been missed. */
  forget(): void {
    for (const eventId of this.ends.keys()) this.ended(eventId);
  }

  private ended(eventId: string): void {
    this.ends.get(eventId)?.();
    this.ends.delete(eventId);
  }
}
