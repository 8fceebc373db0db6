import type { Client, HostService, SessionChange } from "@scorel/host/contract";
import { Attending } from "./attending.ts";
import { News } from "./news.ts";
import { sendPush } from "./send.ts";
import { endpointIn } from "./services.ts";
import { Sight } from "./sight.ts";
import { pushKey, readSubscriptions, removeSubscriptions, type Subscription } from "./store.ts";

/** Statuses with which a push service says that the subscription has ended. */
const GONE = [404, 410];

export interface PusherOptions {
  host: HostService;
  /** Origins of push services from the configuration. */
  further: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  logger: { warn(message: string, thrown?: unknown): void };
  /** Whether the token of a page is still valid. */
  isLetIn(page: string): Promise<boolean>;
}

/** Sends pushes to browsers without a visible page when a session waits, or has ended a long turn. */
export class Pusher {
  readonly sight = new Sight((id) => void this.push(({ id: each }) => each === id));
  private readonly options: PusherOptions;
  private readonly news = new News({
    come: (sessions) => void this.push(({ id }) => !this.sight.holdBack(id, sessions)),
    gone: (session) => this.sight.forget(session),
  });
  private client: Client | undefined;
  private attending: Attending | undefined;

  constructor(options: PusherOptions) {
    this.options = options;
  }

  /** Starts to follow the sessions, unless it already does. */
  begin(): void {
    this.listening();
  }

  /** Keeps the questions of a session open after its pages were closed. */
  async attend(sessionId: string): Promise<void> {
    await this.listening().add(sessionId);
  }

  /** Removes the subscriptions of browsers. Returns whether there were any. */
  async remove(ids: readonly string[]): Promise<boolean> {
    const wereSome = await removeSubscriptions(ids);
    // Not awaited: signing out need not wait for questions to be withdrawn.
    if (readSubscriptions().length === 0)
      void this.attending?.end().catch((thrown) => this.options.logger.warn("A session stays attended", thrown));
    return wereSome;
  }

  async close(): Promise<void> {
    this.news.close();
    this.sight.clear();
    await this.client?.close();
  }

  private listening(): Attending {
    if (this.attending) return this.attending;
    const { host, logger } = this.options;
    const client = host.connect();
    const attending = new Attending(client, (thrown) => logger.warn("A session is not attended for pushes", thrown));
    this.client = client;
    this.attending = attending;
    const take = async (change: SessionChange) => {
      this.news.take(change);
      await attending.take(change);
    };
    client.watchSessions(take).catch((thrown) => logger.warn("Pushes are not sent", thrown));
    return attending;
  }

  private async push(isMeant: (subscription: Subscription) => boolean): Promise<void> {
    try {
      const meant = readSubscriptions().filter(isMeant);
      if (meant.length === 0) return;
      const key = await pushKey();
      const gone = await Promise.all(meant.map(async (each) => ((await this.reach(each, key)) ? [] : [each.id])));
      if (gone.flat().length > 0) await this.remove(gone.flat());
    } catch (thrown) {
      this.options.logger.warn("A push was not sent", thrown);
    }
  }

  /**
   * Sends a push. Resolves with false if the subscription has ended. Its address is never logged, since everybody who knows it could send
   * to it.
   */
  private async reach(subscription: Subscription, key: string): Promise<boolean> {
    const { further, env, logger, isLetIn } = this.options;
    const url = endpointIn(subscription.endpoint, further);
    if (!url || !(await isLetIn(subscription.page))) return false;
    try {
      const status = await sendPush(subscription, { key, further, env });
      if (GONE.includes(status)) return false;
      if (status >= 300) logger.warn(`The push service ${url.origin} has answered a push with status ${status}`);
    } catch (thrown) {
      logger.warn(`The push service ${url.origin} could not be reached`, thrown);
    }
    return true;
  }
}
