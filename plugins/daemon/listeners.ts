import type { Listening, Transport } from "@scorel/gateway/contract";
import { errors } from "./errors.ts";
import type { DaemonState } from "./state.ts";

/** The transport that the web page needs. */
const WEB = "web";

/** The transports through which a host accepts clients. */
export class Listeners {
  /** The addresses of the host. One is added when a port is opened later. */
  readonly addresses: DaemonState["addresses"] = [];
  private readonly transports: readonly Transport[];
  private readonly listening: Listening[] = [];
  private opening: Promise<string> | undefined;

  constructor(transports: readonly Transport[]) {
    this.transports = transports;
  }

  /** Starts the transports that the options ask for. */
  async begin(options: Readonly<Record<string, unknown>>): Promise<void> {
    for (const transport of this.transports) await this.listen(transport, options);
  }

  /**
   * Opens a port of this computer for the web page if the host has none, and then calls `opened`. Resolves with its address. Throws
   * DAEMON_NO_WEB and the errors of the transport.
   */
  openPort(port: string, opened: () => void): Promise<string> {
    // Two clients that ask at the same time get the same port.
    this.opening ??= this.webAddress(port, opened).finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** Refuses new clients from now on, with the reason that the host stops. */
  refuse(): void {
    for (const each of this.listening) each.refuse?.();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.listening.map((each) => each.close()));
  }

  private async webAddress(port: string, opened: () => void): Promise<string> {
    const known = this.addresses.find(({ transport }) => transport === WEB);
    if (known) return known.address;
    const web = this.transports.find(({ name }) => name === WEB);
    const address = web && (await this.listen(web, { port }));
    if (address === undefined) throw errors.DAEMON_NO_WEB();
    opened();
    return address;
  }

  private async listen(transport: Transport, options: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    const one = await transport.listen(options);
    if (!one) return undefined;
    this.listening.push(one);
    const { address, note } = one;
    this.addresses.push({ transport: transport.name, address, ...(note !== undefined && { note }) });
    return address;
  }
}
