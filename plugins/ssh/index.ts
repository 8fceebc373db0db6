import type {} from "@scorel/cli/contract";
import type { Transport } from "@scorel/gateway/contract";
import { definePlugin } from "@scorel/kernel";

/** Plugin `ssh`: hosts on other computers, through the user's own program `ssh`. */
export default definePlugin({
  id: "ssh",
  name: "SSH",
  version: "0.1.0",
  scope: "host",
  needs: ["launch"],

  transports: (ctx): Transport[] => [
    {
      name: "ssh",
      schemes: ["ssh:"],
      dialOptions: [
        {
          flags: "--ssh <target>",
          description: "The host of another computer, over SSH: user@host, or a name from your SSH configuration",
        },
        { flags: "--start", description: "With --ssh: start a host there if none runs" },
      ],
      // The clients connect through the Unix socket of the other computer.
      listen: () => undefined,
      address: ({ ssh: target }) => (typeof target === "string" ? `ssh:${encodeURIComponent(target)}` : undefined),
      dial: async (url, options) => (await import("./dial.ts")).dialOverSsh(url, { ...options, env: ctx.launch.env }),
    },
  ],
});
