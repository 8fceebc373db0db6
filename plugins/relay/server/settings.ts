import { isIP } from "node:net";
import { messageOf } from "@scorel/kernel";
import { readBytes } from "@scorel/kit/files/open";
import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "../errors.ts";

/** Where and how a relay listens. */
export interface Settings {
  port: number;
  bind: string;
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Names by which it is reached, in addition to those of this computer. */
  names: readonly string[];
  /** Whether a proxy on this computer sends the address of the peer in X-Forwarded-For. */
  behindProxy: boolean;
}

/**
 * Reads and checks the options of `scorel relay serve`. Throws coded errors, so that the relay never listens with settings that nobody
 * meant.
 */
export function settingsOf(options: Readonly<Record<string, unknown>>): Settings {
  const { port = "7800", bind = "127.0.0.1", tlsCert, tlsKey } = options as Record<string, string | undefined>;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw errors.RELAY_PORT({ port });
  const address = bind.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) throw errors.RELAY_BIND({ address: bind });
  const behindProxy = options.behindProxy === true;
  const tls = tlsOf(tlsCert, tlsKey);
  const isLocal = isLoopback(isIP(address) === 6 ? `[${address}]` : address);
  if (!tls && !behindProxy && options.insecure !== true && !isLocal) throw errors.RELAY_EXPOSED({ address });
  return { port: Number(port), bind: address, tls, names: namesIn(options.name), behindProxy };
}

function namesIn(option: unknown): string[] {
  const names = option === undefined ? [] : String(option).split(",");
  return names.map((given) => {
    const name = given.trim().toLowerCase();
    if (!/^(?:[a-z\d.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/.test(name)) throw errors.RELAY_NAME({ name: given });
    return name;
  });
}

function tlsOf(cert: string | undefined, key: string | undefined): Settings["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw errors.RELAY_TLS({ problem: "one of the two files is missing" });
  try {
    return { cert: readBytes(cert), key: readBytes(key) };
  } catch (thrown) {
    throw errors.RELAY_TLS({ problem: messageOf(thrown) }, { cause: thrown });
  }
}
