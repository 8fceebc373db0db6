import type { Listening, Transport } from "@scorel/gateway/contract";
import { errors } from "./errors.ts";
import type { DaemonState } from "./state.ts";

/** The transport that the page needs. */
const WEB = "web";

/** The transports at which a host accepts clients. */
export class Listeners {
  /** Where the host can be reached. Grows when a port is opened later. */
  readonly addresses: DaemonState["addresses"] = [];
  private readonly transports: readonly Transport[];
  private readonly listening: Listening[] = [];
  private opening: Promise<string> | undefined;

  constructor(transports: readonly Transport[]) {
    this.transports = transports;
  }

  /** Begins with those that the options ask for. */
  async begin(options: Readonly<Record<string, unknown>>): Promise<void> {
    for (const transport of this.transports) await this.listen(transport, options);
  }

  /**
   * Opens a port of this computer for the page, if the host has none, and calls `opened` then. Resolves to its address. Throws
   * DAEMON_NO_WEB, and what the transport throws.
   */
  openPort(port: string, opened: () => void): Promise<string> {
    // Two that ask at once get the same port.
    this.opening ??= this.webAddress(port, opened).finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** From now on, tells those who come that the host stops. */
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
