import type { CliCommand, CliOption } from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";

const data: CliOption = {
  flags: "--data <folder>",
  description: "The relay's folder; default: ~/.scorel/relay-server",
};
const json: CliOption = { flags: "--json", description: "Print JSON" };
const commands = () => import("./server/commands.ts");

/** Plugin `relay`: hosts that are reached through a relay, which carries what it cannot read. */
export default definePlugin({
  id: "relay",
  name: "Relay",
  version: "0.1.0",
  scope: "host",

  cliCommands: (): CliCommand[] => [
    {
      noun: "relay",
      action: "serve",
      description:
        "Run a relay, by which devices reach hosts that accept no connections; it cannot read what it carries",
      options: [
        { flags: "--port <n>", description: "Port; 0 for any free one", default: "7800" },
        { flags: "--bind <address>", description: "IP address to listen at; default: 127.0.0.1" },
        {
          flags: "--name <list>",
          description: "Names by which it is reached, such as relay.example, separated by commas",
        },
        { flags: "--tls-cert <file>", description: "Certificate in PEM form, for encrypted connections" },
        { flags: "--tls-key <file>", description: "Private key of the certificate" },
        {
          flags: "--behind-proxy",
          description: "A proxy on this computer encrypts, and names each client's address in X-Forwarded-For",
        },
        { flags: "--insecure", description: "Let other computers connect without TLS" },
        data,
      ],
      run: async (invocation) => (await commands()).serveRelay(invocation),
    },
    {
      noun: "relay",
      action: "status",
      description: "Show the running relay: its connections and what it carries; exits 1 when there is none",
      options: [data, json],
      run: async (invocation) => (await commands()).relayStatus(invocation),
    },
    {
      noun: "relay",
      action: "revoke",
      args: "<id>",
      description: "Carry nothing of a host or a device any more, named by its id",
      options: [data],
      run: async (invocation) => (await commands()).revokeIdentity(invocation),
    },
  ],
});
