import { syncBuiltinESMExports } from "node:module";
import { createServer } from "node:net";
import os from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../../../plugins/web-server/server.ts";
import { testHome } from "../host/home.ts";

/** Makes the addresses of this computer unreadable until the end of the test, as on systems that forbid reading them. */
function forbidAddresses(failure: Error): void {
  const { networkInterfaces } = os;
  const replace = (by: typeof networkInterfaces) => {
    os.networkInterfaces = by;
    syncBuiltinESMExports();
  };
  onTestFinished(() => replace(networkInterfaces));
  replace(() => {
    throw failure;
  });
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listening(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "0.0.0.0", () => resolve((server.address() as { port: number }).port));
  });
}

it("a server that cannot read its addresses does not start, and leaves its port free", async () => {
  using _home = testHome();
  const failure = new Error("uv_interface_addresses: EACCES");
  const port = await freePort();
  const none = { routes: [], names: [], origins: [], pages: [] };
  const options = { port, bind: "0.0.0.0", tls: undefined, ...none, logger: { warn: () => {} } };
  forbidAddresses(failure);
  await expect(startServer(options)).rejects.toBe(failure);
  const server = createServer();
  onTestFinished(() => void server.close());
  expect(await listening(server, port)).toBe(port);
});
