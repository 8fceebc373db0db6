import { createServer } from "node:net";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { settingsOf } from "./settings.ts";

/**
 * Checks that the port in the options is free. A port of an address in `freed`, of the host that is being replaced, counts as free. Throws
 * WEB_LISTEN.
 */
export async function probe(options: Readonly<Record<string, unknown>>, freed: readonly string[]): Promise<void> {
  const settings = settingsOf(options);
  if (!settings || freed.some((address) => portOf(address) === settings.port)) return;
  const { port, bind } = settings;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (thrown) =>
      reject(errors.WEB_LISTEN({ address: `${bind}:${port}`, reason: codeOf(thrown) }, { cause: thrown })),
    );
    server.listen(port, bind, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

function portOf(address: string): number | undefined {
  const { protocol, port } = URL.canParse(address) ? new URL(address) : { protocol: "", port: "" };
  if (port !== "") return Number(port);
  return { "http:": 80, "https:": 443 }[protocol];
}
