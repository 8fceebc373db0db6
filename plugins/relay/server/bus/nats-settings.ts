import { messageOf } from "@scorel/kernel";
import { readBytes } from "@scorel/kit/files/open";
import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "../../errors.ts";
import { withoutLogin } from "../../peer/address.ts";
import type { Bytes } from "../../protocol/primitives.ts";

/** Environment variable for the addresses of the bus, for users who do not want them to appear in the list of processes. */
const NATS_ENV = "SCOREL_RELAY_NATS";
const PORT = "4222";

/** How a relay logs in: as a user, with a token, or with a credentials file that NATS' own tools write. */
export type NatsLogin = { user: string; pass: string } | { token: string } | { credentials: Bytes };

/** The servers of a bus, and how to log in. */
export interface NatsSettings {
  /** Such as `127.0.0.1:4222`, without user or password. */
  servers: string[];
  isTls: boolean;
  login: NatsLogin | undefined;
}

/** Settings of the bus for `scorel relay serve`; undefined if it has none. Throws coded errors, which show no passwords. */
export function natsSettings(
  { nats, natsCredentials, insecure }: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): NatsSettings | undefined {
  const given = nats === undefined ? env[NATS_ENV] : String(nats);
  if (given === undefined || given === "") {
    if (natsCredentials !== undefined) throw errors.RELAY_NATS({ problem: "--nats-credentials needs --nats" });
    return undefined;
  }
  const urls = given.split(",").map((each) => urlOf(each.trim(), given));
  const isTls = urls[0]?.protocol === "tls:";
  for (const url of urls) {
    if ((url.protocol === "tls:") !== isTls) throw errors.RELAY_NATS({ problem: "nats: and tls: are mixed" });
    if (!isTls && insecure !== true && !isLoopback(url.hostname)) throw errors.RELAY_NATS_PLAIN({ address: url.host });
  }
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port || PORT}`);
  const login = natsCredentials === undefined ? loginIn(urls) : loginOf(String(natsCredentials));
  return { servers, isTls, login };
}

function urlOf(text: string, list: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname);
  if (!isAddress || url.search || url.hash)
    throw errors.RELAY_NATS({ problem: `"${withoutLogin(text, list)}" is not such an address` });
  return url;
}

/** The login in the addresses. All servers of a bus have the same users, so the first address with a login is enough. */
function loginIn(urls: readonly URL[]): NatsLogin | undefined {
  const found = urls.find(({ username }) => username !== "");
  if (!found) return undefined;
  const [user, pass] = [decoded(found.username), decoded(found.password)];
  return pass === "" ? { token: user } : { user, pass };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (thrown) {
    throw errors.RELAY_NATS({ problem: "its user or password is not encoded as in URLs" }, { cause: thrown });
  }
}

function loginOf(path: string): NatsLogin {
  let bytes: Buffer;
  try {
    bytes = readBytes(path);
  } catch (thrown) {
    throw errors.RELAY_NATS({ problem: `the file of --nats-credentials: ${messageOf(thrown)}` }, { cause: thrown });
  }
  const text = bytes.toString("utf8").trim();
  if (/BEGIN NATS USER JWT/.test(text)) return { credentials: new Uint8Array(bytes) };
  const [first = ""] = text.split("\n");
  if (first === "") throw errors.RELAY_NATS({ problem: `the file ${path} is empty` });
  const colon = first.indexOf(":");
  return colon < 0 ? { token: first } : { user: first.slice(0, colon), pass: first.slice(colon + 1) };
}
