import type { Connection } from "../wire/connection.ts";

/** Counts the requests that use a connection, so that a forgotten one is closed only when its last request has ended. */
export class Uses {
  private readonly running = new Map<Connection, number>();
  private readonly forgotten = new Set<Connection>();

  /** Runs a request with a connection. */
  async during<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    this.running.set(connection, (this.running.get(connection) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.running.get(connection) ?? 1) - 1;
      if (left > 0) this.running.set(connection, left);
      else this.idle(connection);
    }
  }

  /** Closes a connection whose session the server has forgotten, when its requests have ended. Closing it earlier would end them. */
  forget(connection: Connection): void {
    this.forgotten.add(connection);
    if (!this.running.has(connection)) this.idle(connection);
  }

  /** Closes all forgotten connections. */
  async close(): Promise<void> {
    await Promise.all([...this.forgotten].map(end));
  }

  private idle(connection: Connection): void {
    this.running.delete(connection);
    if (this.forgotten.delete(connection)) void end(connection);
  }
}

/** Closes a forgotten connection. The server does not know its session, so nothing is left to end there if this fails. */
async function end(connection: Connection): Promise<void> {
  await connection.close().catch(() => {});
}
