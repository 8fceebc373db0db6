import { connectHost, type RemoteClient } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import { dialSocket } from "../../plugins/socket/socket.ts";

/**
 * Errors of requests whose host was killed or whose response was lost. Clients are told about these, so they count as
 * no problem.
 */
const EXPECTED = new Set(["LINK_LOST", "GATEWAY_RESULT_GONE", "GATEWAY_ENDED", "HOST_CLOSED", "AGENT_CANCELLED"]);

/** A client that sends messages and records the ids of the stored events that it receives. */
export class SoakClient {
  readonly number: number;
  readonly problems: string[] = [];
  sent = 0;
  private readonly client: RemoteClient;
  private readonly heard = new Map<string, string[]>();
  private readonly pending = new Set<Promise<void>>();

  static async connect(number: number, path: string, version: string): Promise<SoakClient> {
    const client = await connectHost({ dial: () => dialSocket(path), name: `soak ${number}`, version });
    return new SoakClient(number, client);
  }

  private constructor(number: number, client: RemoteClient) {
    this.number = number;
    this.client = client;
  }

  async create(cwd: string): Promise<string> {
    return (await this.client.request("create_session", { cwd })).sessionId;
  }

  async follow(sessions: readonly string[]): Promise<void> {
    for (const sessionId of sessions) {
      await this.client.request("load_session", { sessionId });
      this.heard.set(sessionId, []);
      await this.client.subscribe(sessionId, ({ event }) => this.hear(sessionId, event as { id?: string }), {
        joined: true,
        tail: Number.POSITIVE_INFINITY,
        resumed: (mode) => void (mode === "full_reload" && this.heard.set(sessionId, [])),
      });
    }
  }

  /** Sends a message to one of the sessions. */
  say(sessions: readonly string[]): void {
    const sessionId = sessions[(this.number + this.sent) % sessions.length] as string;
    const content = `message ${++this.sent} of client ${this.number}`;
    const sending = this.client.request("send_message", { sessionId, content }).then(
      () => {},
      (thrown) => {
        if (!EXPECTED.has(codeOf(thrown))) this.problems.push(`client ${this.number}: ${thrown}`);
      },
    );
    this.pending.add(sending);
    void sending.finally(() => this.pending.delete(sending));
  }

  /** Resolves when no turn runs and all events have arrived. */
  async quiet(sessions: readonly string[]): Promise<void> {
    await Promise.all(this.pending);
    for (const sessionId of sessions) {
      while ((await this.client.request("get_status", { sessionId })).running)
        await new Promise((resolve) => setTimeout(resolve, 100));
      await this.client.drained(sessionId);
    }
  }

  /** The ids of the stored events, read from the host. */
  async stored(sessionId: string): Promise<string[]> {
    const ids: string[] = [];
    for (let more = true; more; ) {
      const after = ids.at(-1);
      const page = await this.client.request("get_events", { sessionId, ...(after !== undefined && { after }) });
      for (const { event } of page.events) if ("id" in event) ids.push(event.id);
      more = page.more;
    }
    return ids;
  }

  has(sessionId: string): readonly string[] {
    return this.heard.get(sessionId) ?? [];
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private hear(sessionId: string, { id }: { id?: string }): void {
    if (id !== undefined) this.heard.get(sessionId)?.push(id);
  }
}
