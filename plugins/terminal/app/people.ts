import { clientName, type SessionView, type ViewChange } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";

/** Matches the names of terminals: the first one is `terminal`, the others are `terminal-2`, `terminal-3` and so on. */
const TERMINAL = /^terminal(-\d+)?$/;

/** Who is who among the clients of the sessions that are shown. */
export class People {
  private readonly client: Pick<Client, "clientId">;
  /** The ids of this application: a host that was restarted gives it another one. */
  private readonly own = new Set<string>();
  private readonly met = new Set<string>();

  constructor(client: Pick<Client, "clientId">) {
    this.client = client;
  }

  /** Takes who is in the session now. */
  look({ status }: SessionView): void {
    this.own.add(this.client.clientId);
    for (const { clientId } of status.host.present ?? []) this.met.add(clientId);
  }

  /** Takes who comes, and who does something while it is watched: both are here, whatever else is known of them. */
  hear(change: ViewChange, view: SessionView): void {
    if (change.kind === "text") return;
    this.look(view);
    const clientId = change.kind === "rows" && change.isNew ? view.rows[change.index]?.clientId : joinedIn(change);
    if (clientId !== undefined) this.met.add(clientId);
  }

  isOwn(clientId: string): boolean {
    return clientId === this.client.clientId || this.own.has(clientId);
  }

  /** Who has done something, for those who see it happen. Undefined for this application. */
  actorOf(clientId: string): string | undefined {
    return this.isOwn(clientId) ? undefined : clientName(clientId);
  }

  /**
   * The name of somebody else. Undefined for this application, and for terminals that were closed before it came: they mostly were those
   * of the same person, and their names say nothing.
   */
  nameOf(clientId: string): string | undefined {
    const name = clientName(clientId);
    if (name === undefined || this.isOwn(clientId)) return undefined;
    return TERMINAL.test(name) && !this.met.has(clientId) ? undefined : name;
  }
}

/** The id of a client that has come. */
function joinedIn(change: ViewChange): string | undefined {
  if (change.kind !== "passing") return undefined;
  const { event } = change.delivered;
  return event.type === "client_joined" ? event.clientId : undefined;
}
