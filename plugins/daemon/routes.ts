import type { Client } from "@scorel/host/contract";

/** A map from each session to the client of the process that has it. */
export class Routes {
  private readonly clients = new Map<string, Client>();
  private readonly waiting = new Set<{ sessionId: string; client: Client; moved(to: Client): void }>();

  get(sessionId: string): Client | undefined {
    return this.clients.get(sessionId);
  }

  set(sessionId: string, client: Client): void {
    this.clients.set(sessionId, client);
    for (const each of this.waiting)
      if (each.sessionId === sessionId && each.client !== client) {
        this.waiting.delete(each);
        each.moved(client);
      }
  }

  delete(sessionId: string): void {
    this.clients.delete(sessionId);
  }

  /** The ids of the sessions that a client has. */
  at(client: Client): string[] {
    return [...this.clients].flatMap(([sessionId, each]) => (each === client ? sessionId : []));
  }

  /**
   * Settles as `asked` does, a request to the client of a session. If the session moves to another client before that, settles as `instead`
   * does, since a host that is away may never answer.
   */
  async unlessMoved<R>(
    { sessionId, client }: { sessionId: string; client: Client },
    asked: Promise<R>,
    instead: (to: Client) => Promise<R>,
  ): Promise<R> {
    let forget = () => {};
    const moving = new Promise<R>((resolve) => {
      const waiter = { sessionId, client, moved: (to: Client) => resolve(instead(to)) };
      this.waiting.add(waiter);
      forget = () => this.waiting.delete(waiter);
    });
    try {
      return await Promise.race([asked, moving]);
    } finally {
      forget();
    }
  }
}
