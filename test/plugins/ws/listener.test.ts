import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { connectToOwn } from "../../../plugins/ws/listener.ts";

it("the time limit for connecting does not end an established connection", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const limitMs = 200;
  const socket = await connectToOwn({ host: "127.0.0.1", port }, `127.0.0.1:${port}`, limitMs);
  const begun = performance.now();
  // The time limit's timer was set before this one.
  await once(AbortSignal.timeout(limitMs + 50), "abort");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(limitMs);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  server.close();
});
