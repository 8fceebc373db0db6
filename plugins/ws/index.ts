import type {} from "@scorel/cli/contract";
import type { Transport } from "@scorel/gateway/contract";
import { definePlugin } from "@scorel/kernel";
import type { WebRoute } from "@scorel/web-server/contract";

const PATH = "/ws";

/** Plugin `ws`: clients over WebSocket, on the host's web server. */
export default definePlugin({
  id: "ws",
  name: "WebSocket",
  version: "0.1.0",
  scope: "host",
  needs: ["gateway", "webServer", "launch"],

  webRoutes: (ctx): WebRoute[] => [
    {
      path: PATH,
      upgrade: async (...given) => (await import("./accept.ts")).acceptSocket(ctx.gateway, ...given),
    },
  ],
  transports: (ctx): Transport[] => [
    {
      name: "ws",
      schemes: ["ws:", "wss:", "http:", "https:"],
      dialOptions: [
        {
          flags: "--token-file <file>",
          description: "File with the host's token; default: the variable SCOREL_HOST_TOKEN",
        },
        {
          flags: "--insecure",
          description: "Send the token to another computer without encryption, or to another user's program",
        },
      ],
      // The web server is loaded before this plugin, and listens already.
      listen: () => {
        const { address } = ctx.webServer;
        return address === undefined
          ? undefined
          : { address: address.replace("http", "ws") + PATH, close: async () => {} };
      },
      dial: async (url, options) => (await import("./dial.ts")).dialSocket(url, { ...options, env: ctx.launch.env }),
    },
  ],
});
