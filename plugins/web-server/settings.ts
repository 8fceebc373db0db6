import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { messageOf } from "@scorel/kernel";
import { readBytes } from "@scorel/kit/files/open";
import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "./errors.ts";

/** How the server listens, from the options of `scorel host serve`. */
export interface Settings {
  port: number;
  bind: string;
  tls: { cert: Buffer; key: Buffer } | undefined;
}

/** Options that have no meaning without `port`. */
const ABOUT_PORTS = [
  ["bind", "--bind"],
  ["tlsCert", "--tls-cert"],
  ["tlsKey", "--tls-key"],
  ["insecure", "--insecure"],
] as const;

/**
 * Reads and checks the options; undefined without `port`. Throws coded errors, so that the server never listens with settings that nobody
 * meant.
 */
export function settingsOf(options: Readonly<Record<string, unknown>>): Settings | undefined {
  const { port, bind = "127.0.0.1", tlsCert, tlsKey, insecure } = options as Record<string, string | undefined>;
  if (port === undefined) {
    const others = ABOUT_PORTS.flatMap(([key, flag]) => (options[key] === undefined ? [] : [flag]));
    if (others.length > 0) throw errors.WEB_NO_PORT({ options: others });
    return undefined;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw errors.WEB_PORT({ port: String(port) });
  const address = bind.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) throw errors.WEB_BIND({ address: bind });
  const tls = tlsOf(tlsCert, tlsKey);
  if (!tls && insecure === undefined && !isLocal(address)) throw errors.WEB_EXPOSED({ address });
  return { port: Number(port), bind: address, tls };
}

/** What others can do because of `--insecure`, if the options need it to listen; otherwise undefined. */
export function dangerOf(options: Readonly<Record<string, unknown>>): string | undefined {
  const settings = settingsOf(options);
  if (!settings || settings.tls || isLocal(settings.bind)) return undefined;
  return `Connections to ${settings.bind} will not be encrypted: everybody on the network can read the token, and with it use your sessions and run commands as you.`;
}

function isLocal(address: string): boolean {
  return isLoopback(isIP(address) === 6 ? `[${address}]` : address);
}

function tlsOf(cert: string | undefined, key: string | undefined): Settings["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw errors.WEB_TLS({ problem: "--tls-cert and --tls-key need each other" });
  // Relative paths are refused, because the background host runs in another working directory.
  for (const path of [cert, key])
    if (!isAbsolute(path)) throw errors.WEB_TLS({ problem: `"${path}" must be an absolute path` });
  try {
    return { cert: readBytes(cert), key: readBytes(key) };
  } catch (thrown) {
    throw errors.WEB_TLS({ problem: messageOf(thrown) }, { cause: thrown });
  }
}
