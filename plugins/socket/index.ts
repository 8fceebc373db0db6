import type { Transport } from "@scorel/gateway/contract";
import { definePlugin } from "@scorel/kernel";

/** Plugin `socket`: clients of the same user on this computer, over a Unix socket. */
export default definePlugin({
  id: "socket",
  name: "Unix socket",
  version: "0.1.0",
  scope: "host",
  needs: ["gateway"],

  transports: (ctx): Transport[] => [
    {
      name: "socket",
      schemes: ["unix:"],
      listen: async ({ socket }) =>
        typeof socket === "string" ? (await import("./socket.ts")).listenOn(socket, ctx.gateway) : undefined,
      dial: async (url) => (await import("./socket.ts")).dialSocket(decodeURIComponent(url.pathname)),
    },
  ],
});
