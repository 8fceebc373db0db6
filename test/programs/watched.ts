import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that should get no requests, and the addresses of those that it got. */
export interface Watched extends AsyncDisposable {
  url: string;
  asked: string[];
}

export async function watched(): Promise<Watched> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    response.end("");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    [Symbol.asyncDispose]: async () => void (await new Promise((closed) => server.close(closed))),
  };
}
