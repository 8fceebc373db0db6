import { clientName, type SessionView, type ViewChange } from "@scorel/host/client";
import { Store } from "../store.ts";

/** What terminals and pages are called, with the number that a host gives to the second one and those after it. */
const COMMON = /^(terminal|page)(-\d+)?$/;

/** Who is who among the clients of a session. */
export class People {
  /** The ids of clients that were here together with this page. */
  readonly met = new Store<ReadonlySet<string>>(new Set());
  private readonly client: { readonly clientId: string };
  /** The ids of this page: a host that was restarted gives it another one. */
  private readonly own = new Set<string>();

  constructor(client: { readonly clientId: string }) {
    this.client = client;
  }

  /** Takes who comes, and who does something while it is watched. */
  hear(change: ViewChange, view: SessionView): void {
    if (change.kind === "text") return;
    this.look(view);
    if (change.kind === "rows" && change.isNew) this.meet(view.rows[change.index]?.clientId);
    if (change.kind !== "passing") return;
    const { event } = change.delivered;
    if (event.type === "client_joined") this.meet(event.clientId);
  }

  /** Takes who is in the session now. */
  look({ status }: SessionView): void {
    this.own.add(this.client.clientId);
    for (const { clientId } of status.host.present ?? []) this.meet(clientId);
  }

  /**
   * The name of somebody else. Undefined for this page, and for terminals and pages that were closed before it came: they mostly were
   * those of the same person, and their names say nothing.
   */
  nameOf(clientId: string): string | undefined {
    const name = clientName(clientId);
    if (name === undefined || this.own.has(clientId) || clientId === this.client.clientId) return undefined;
    return COMMON.test(name) && !this.met.get().has(clientId) ? undefined : name;
  }

  private meet(clientId: string | undefined): void {
    const met = this.met.get();
    if (clientId !== undefined && !met.has(clientId)) this.met.set(new Set([...met, clientId]));
  }
}
