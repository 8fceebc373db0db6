import { clientName, type SessionView, type ViewChange } from "@scorel/host/client";
import { Store } from "../store.ts";
import { isOfBrowser, keepOwn } from "./own-ids.ts";

/** Default names of terminals and pages. The host adds a number from the second one on. */
const COMMON = /^(terminal|page)(-\d+)?$/;

/** An arrival or departure: the names of the other clients that are there now, and of the one that has left. */
export interface PresenceNews {
  here: readonly string[];
  left?: string;
}

/** Names and presence of the clients of a session. */
export class People {
  /** Ids of clients that have been present at the same time as this page. */
  readonly met = new Store<ReadonlySet<string>>(new Set());
  /** Ids of clients that have the session open now. */
  readonly present = new Store<ReadonlySet<string>>(new Set());
  /** The latest arrival or departure of another client. */
  readonly news = new Store<PresenceNews | undefined>(undefined);
  private readonly client: { readonly clientId: string };
  /** Client ids of this page. It gets a new one when the host is restarted. */
  private readonly own = new Set<string>();

  /** The host in the latest status of the session. */
  private host: SessionView["status"]["host"] | undefined;

  constructor(client: { readonly clientId: string }) {
    this.client = client;
  }

  /** Notes clients that join, and those that act while the session is followed. */
  hear(change: ViewChange, view: SessionView): void {
    if (change.kind === "text") return;
    this.look(view);
    if (change.kind === "rows" && change.isNew) this.meet(view.rows[change.index]?.clientId);
    if (change.kind !== "passing") return;
    const { event } = change.delivered;
    const { type, clientId } = event as { type: string; clientId?: string };
    if (type === "client_joined") this.meet(clientId);
    if (type === "client_joined" || type === "client_left") this.changePresent(clientId, type === "client_joined");
  }

  /** Notes the clients that are in the session now. */
  look({ status }: SessionView): void {
    if (!this.own.has(this.client.clientId)) keepOwn(this.client.clientId);
    this.own.add(this.client.clientId);
    if (status.host === this.host) return;
    this.host = status.host;
    const present = (status.host.present ?? []).map(({ clientId }) => clientId);
    this.present.set(new Set(present));
    for (const clientId of present) this.meet(clientId);
  }

  isOwn(clientId: string): boolean {
    return this.own.has(clientId) || clientId === this.client.clientId;
  }

  /**
   * The name of another client. Undefined for pages of this browser, and for terminals and pages that were closed before this page was
   * opened: these mostly belonged to the same person, and their default names say nothing.
   */
  nameOf(clientId: string): string | undefined {
    const name = clientName(clientId);
    if (name === undefined || this.isOwn(clientId) || isOfBrowser(clientId)) return undefined;
    return COMMON.test(name) && !this.met.get().has(clientId) ? undefined : name;
  }

  private changePresent(clientId: string | undefined, isHere: boolean): void {
    const present = new Set(this.present.get());
    if (clientId === undefined) return;
    if (isHere) present.add(clientId);
    else present.delete(clientId);
    this.present.set(present);
    const name = this.nameOf(clientId);
    if (name === undefined) return;
    const here = new Set([...present].flatMap((id) => this.nameOf(id) ?? []));
    this.news.set({ here: [...here], ...(!isHere && { left: name }) });
  }

  private meet(clientId: string | undefined): void {
    const met = this.met.get();
    if (clientId !== undefined && !met.has(clientId)) this.met.set(new Set([...met, clientId]));
  }
}
