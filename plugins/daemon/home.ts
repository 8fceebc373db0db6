import type { Client, LinkState } from "@scorel/host/contract";
import type { DaemonContext } from "./context.ts";
import { dialDaemon } from "./daemon-client.ts";
import { findDaemon } from "./state.ts";

export interface HomeOptions {
  /** The name under which this process introduces itself to the daemon. */
  name: string;
  /** The client of this process. */
  own: Client;
  /** Called with each change of the daemon's connection. */
  changed(daemon: Client, state: LinkState): void;
}

/** Decides where new sessions are opened: in the daemon of this home if one runs, else in this process. */
export class Home {
  private readonly ctx: DaemonContext;
  private readonly options: HomeOptions;
  private client: Promise<Client> | undefined;
  /** The pid of a daemon that cannot be used, for example because it has another preset. */
  private unfit: number | undefined;

  constructor(ctx: DaemonContext, options: HomeOptions) {
    this.ctx = ctx;
    this.options = options;
  }

  /** The client of the daemon if one ran at the first call, else of this process. */
  get(): Promise<Client> {
    const { name, own, changed } = this.options;
    this.client ??= dialDaemon(this.ctx, name).then(
      (daemon) => {
        daemon?.onState((state) => changed(daemon, state));
        return daemon ?? own;
      },
      (thrown) => {
        // The next request tries again: the failure may be temporary, such as a lack of file descriptors.
        this.client = undefined;
        throw thrown;
      },
    );
    return this.client;
  }

  /** The same, but also finds a daemon that was started later. */
  async now(): Promise<Client> {
    const { own } = this.options;
    const client = await this.get();
    const { pid, state } = findDaemon() ?? {};
    if (client !== own || !state || pid === this.unfit) return client;
    this.client = undefined;
    const now = await this.get();
    if (now === own) this.unfit = pid;
    return now;
  }

  async close(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    if (client !== this.options.own) await client?.close();
  }
}
