import { timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import { LoginFlaw } from "./wire.ts";

/** The parameters of the URL to which the authorization server has sent the browser. */
export interface Answer {
  code: string;
  /** The authorization server that has sent the answer, as it claims. */
  iss?: string;
}

export interface Callback {
  /** The redirect URI of the login. */
  readonly address: string;
  /** Resolves with the first answer that has the right state. Rejects if that answer is a refusal. */
  answer(signal: AbortSignal): Promise<Answer>;
  /** Takes a redirect URL that was opened on another computer. Returns what is wrong with it, or undefined. */
  paste(address: string): string | undefined;
  close(): Promise<void>;
}

/** Listens on the loopback address for the browser that comes back from the login with this state. Rejects with a LoginFlaw. */
export async function listen(state: string, port = 0): Promise<Callback> {
  let resolve!: (answer: Answer) => void;
  let reject!: (thrown: unknown) => void;
  const promise = new Promise<Answer>((...settle) => {
    [resolve, reject] = settle;
  });
  // It may reject before `answer` is called.
  promise.catch(() => {});
  const take = (url: URL) => {
    const flaw = flawOf(url, state);
    if (flaw !== undefined) return flaw;
    const { code, error, iss } = Object.fromEntries(url.searchParams);
    if (code !== undefined) resolve({ code, ...(iss !== undefined && { iss }) });
    else reject(new LoginFlaw(`it was refused (${/^[a-z_]{3,40}$/.test(error ?? "") ? error : "without a reason"})`));
    return undefined;
  };
  const server = createServer((request, response) => {
    const target = request.url ?? "";
    const [path = ""] = target.split("?", 1);
    // The target as a whole need not be a valid address: any program or page may send anything to this port.
    const url = new URL(`http://127.0.0.1/${target.slice(path.length)}`);
    if (request.method !== "GET" || path !== "/callback") return say(response, 404, "There is nothing here.");
    const flaw = take(url);
    if (flaw !== undefined) return say(response, 400, `This is not the answer that Scorel waits for: ${flaw}.`);
    return say(response, 200, "You can close this page. Scorel says how the login went.");
  });
  await new Promise<void>((done, failed) => {
    server.once("error", (thrown) => failed(new LoginFlaw(`port ${port} cannot be used (${codeOf(thrown)})`)));
    server.listen(port, "127.0.0.1", done);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async answer(signal) {
      const ignore = onAbort(signal, () => reject(signal.reason));
      return promise.finally(ignore);
    },
    paste: (address) => (URL.canParse(address) ? take(new URL(address)) : "it is not an address"),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function flawOf({ searchParams }: URL, state: string): string | undefined {
  const given = Buffer.from(searchParams.get("state") ?? "");
  const wanted = Buffer.from(state);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return "it belongs to another login";
  return searchParams.has("code") || searchParams.has("error") ? undefined : "it has no code";
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(`${text}\n`);
}
