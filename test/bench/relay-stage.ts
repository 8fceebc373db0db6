/** Starts the helper processes of the relay rows, and opens clients in this process. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { WebSocket } from "ws";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { connectRelay, type RelayConnection } from "../../plugins/relay/peer/connection.ts";
import { nodeSocket } from "../../plugins/relay/peer/node-socket.ts";
import { routedChannel } from "../../plugins/relay/peer/routed-channel.ts";
import { createIdentity, keysAt } from "../../plugins/relay/protocol/identity.ts";
import type { SecureChannel } from "../../plugins/relay/protocol/secure-channel.ts";
import type { Answer, Order, Role } from "./relay-orders.ts";

/** A helper process. */
export class Helper {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(role: Role): Promise<{ helper: Helper; url: string }> {
    const child = fork(process.env.BENCH_BESIDE as string, [role], { stdio: ["ignore", 2, 2, "ipc"] });
    const [{ url = "" }] = (await once(child, "message")) as [Answer];
    return { helper: new Helper(child), url };
  }

  async ask(order: Order): Promise<Answer> {
    this.#child.send(order);
    const [answer] = (await once(this.#child, "message")) as [Answer];
    return answer;
  }

  end(): void {
    this.#child.disconnect();
  }
}

export const identity = await createIdentity(nodeCrypto);
const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text as string, "base64"));

/** Makes a host serve behind a relay. Returns functions to connect to the relay and to open a channel to the host. */
export async function hostBehind(host: Helper, relay: string) {
  const client = Buffer.from(identity.id).toString("base64");
  const { keys, grant } = await host.ask({ do: "serve", relay, client });
  const peer = keysAt(bytes(keys), 0);
  const connect = () =>
    connectRelay({ address: relay, who: { role: "client", identity }, primitives: nodeCrypto, make: nodeSocket });
  const open = (connection: RelayConnection): Promise<SecureChannel> => {
    const route = connection.open(bytes(grant));
    return new Promise((resolve, reject) => {
      const channel = routedChannel({
        ...{ role: "client", primitives: nodeCrypto, identity, peer, route },
        opened: () => resolve(channel),
        ended: () => reject(new Error("the channel has ended")),
      });
    });
  };
  return { connect, open, grant: bytes(grant) };
}

export async function webSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, "open");
  return socket;
}
