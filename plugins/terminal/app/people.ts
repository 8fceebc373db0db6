import { clientName, type SessionView, type ViewChange } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";

/** Matches the names of terminals: the first one is `terminal`, the others are `terminal-2`, `terminal-3` and so on. */
const TERMINAL = /^terminal(-\d+)?$/;

/** Names the clients of the shown sessions, and tells this client from others. */
export class People {
  private readonly client: Pick<Client, "clientId">;
  /** All client ids that this application has had: a restarted host assigns a new one. */
  private readonly own = new Set<string>();
  private readonly met = new Set<string>();

  constructor(client: Pick<Client, "clientId">) {
    this.client = client;
  }

  /** Notes which clients are in the session. */
  noteClients({ status }: SessionView): void {
    this.own.add(this.client.clientId);
    for (const { clientId } of status.host.present ?? []) this.met.add(clientId);
  }

  /** Notes clients that join, and clients that add an event while this application watches: both were present. */
  hear(change: ViewChange, view: SessionView): void {
    if (change.kind === "text") return;
    this.noteClients(view);
    const clientId = change.kind === "rows" && change.isNew ? view.rows[change.index]?.clientId : joinedIn(change);
    if (clientId !== undefined) this.met.add(clientId);
  }

  isOwn(clientId: string): boolean {
    return clientId === this.client.clientId || this.own.has(clientId);
  }

  /** The name of the client that has just done something. Undefined for this application. */
  actorOf(clientId: string): string | undefined {
    return this.isOwn(clientId) ? undefined : clientName(clientId);
  }

  /**
   * The name of another client. Undefined for this application, and for terminals that were closed before it joined: mostly they were
   * opened by the same person, and their names say nothing.
   */
  nameOf(clientId: string): string | undefined {
    const name = clientName(clientId);
    if (name === undefined || this.isOwn(clientId)) return undefined;
    return TERMINAL.test(name) && !this.met.has(clientId) ? undefined : name;
  }
}

/** The id of the client that joins with a change; undefined for other changes. */
function joinedIn(change: ViewChange): string | undefined {
  if (change.kind !== "passing") return undefined;
  const { event } = change.delivered;
  return event.type === "client_joined" ? event.clientId : undefined;
}
