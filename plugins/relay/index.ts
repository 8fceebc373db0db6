import type { CliCommand, CliOption } from "@scorel/cli/contract";
import type {} from "@scorel/daemon/contract";
import type { Transport } from "@scorel/gateway/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import { outputOption } from "@scorel/kit/terminal/output-option";
import { config, type RelayConfig } from "./config.ts";
import type {} from "./contract.ts";
import type { RelayService } from "./host/service.ts";
import { operations } from "./operations.ts";

const data: CliOption = {
  flags: "--data <folder>",
  description: "The relay's folder; default: ~/.scorel/relay-server",
};
const scope: CliOption = {
  flags: "--scope <list>",
  description: "What the device may do: view, prompt, approve, admin; default: view,prompt,approve",
};

type PairingContext = PluginContext<RelayConfig, "gateway" | "host">;

/** Commands for people who run a relay. */
const relayCommands = (ctx: PairingContext): CliCommand[] => {
  const commands = () => import("./server/commands.ts");
  return [
    {
      noun: "relay",
      action: "serve",
      description:
        "Run a relay, through which devices reach hosts that accept no connections; it cannot read what it passes on",
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
        {
          flags: "--nats <list>",
          description:
            "NATS servers by which relays find each other's hosts; also SCOREL_RELAY_NATS in the environment",
        },
        {
          flags: "--nats-credentials <file>",
          description: "Token, user:password, or credentials for the NATS servers",
        },
        { flags: "--insecure", description: "Let other computers connect without TLS, and use NATS without it" },
        { flags: "--page", description: "Also serve the page there, in which browsers pair with hosts" },
        data,
      ],
      run: (invocation) => {
        const serving = commands().then(({ serveRelay }) => serveRelay(invocation, ctx.find("pageFiles")));
        // When the process is told to end, wait until the relay has closed its connections and released its folder.
        ctx.find("launch")?.beforeEnd(async () => void (await serving.catch(() => {})));
        return serving;
      },
    },
    {
      noun: "relay",
      action: "page",
      args: "<folder>",
      description: "Write the page into a folder, for any web server: browsers pair there with hosts behind relays",
      run: async (invocation) => (await commands()).writePage(invocation, ctx.find("pageFiles")),
    },
    {
      noun: "relay",
      action: "status",
      description: "Show the running relay: its connections and traffic; exits 1 if none is running",
      options: [data, outputOption],
      run: async (invocation) => (await commands()).relayStatus(invocation),
    },
    {
      noun: "relay",
      action: "revoke",
      args: "<id>",
      description: "Block a host or a device at this relay, by its id",
      options: [data],
      run: async (invocation) => (await commands()).revokeIdentity(invocation),
    },
  ];
};

/** Commands for paired devices. */
const deviceCommands = (ctx: PairingContext): CliCommand[] => {
  const commands = () => import("./commands.ts");
  return [
    {
      noun: "pair",
      args: "[code]",
      description:
        "Pair with another computer or a phone through a relay: shows a code, or takes the one that a host shows",
      options: [
        {
          flags: "--relay <list>",
          description:
            "The relay, such as wss://relay.example, or several that share a bus, separated by commas; default: url of [relay], or on a host the one used before",
        },
        { flags: "--name <name>", description: "What the other computer calls this one; default: its host name" },
        scope,
        { flags: "--yes", description: "Let in the first device that has the code, without asking" },
        { flags: "--page <address>", description: "Page that the printed link leads to; default: page of [relay]" },
        { flags: "--insecure", description: "Use a relay on another computer without TLS" },
      ],
      run: async (invocation) => (await commands()).pairCommand(ctx, invocation),
    },
    {
      noun: "device",
      action: "list",
      description:
        "List the devices that may reach this computer's host through a relay, and the hosts that it may reach",
      options: [outputOption],
      run: async (invocation) => (await commands()).listCommand(ctx, invocation),
    },
    {
      noun: "device",
      action: "rename",
      args: "<device> <name>",
      description: "Rename a device or a host on this computer",
      run: async (invocation) => (await commands()).renameCommand(ctx, invocation),
    },
    {
      noun: "device",
      action: "scopes",
      args: "<device> <list>",
      description: "Change what a device may do: view, prompt, approve, admin, separated by commas",
      run: async (invocation) => (await commands()).scopesCommand(ctx, invocation),
    },
    {
      noun: "device",
      action: "revoke",
      args: "<device>",
      description: "Unpair a device and close its connections, or forget a host",
      run: async (invocation) => (await commands()).revokeCommand(ctx, invocation),
    },
  ];
};

/** Plugin `relay`: makes hosts reachable through a relay, which passes on encrypted messages that it cannot read. */
export default definePlugin({
  id: "relay",
  name: "Relay",
  version: "0.1.0",
  scope: "host",
  needs: ["gateway", "host"],
  config,

  activate(ctx) {
    let service: Promise<RelayService> | undefined;
    let running: RelayService | undefined;
    const begin = async () => {
      const { RelayService } = await import("./host/service.ts");
      const warn = (message: string, thrown: unknown) => ctx.logger.warn(message, thrown);
      running = await RelayService.begin({ gateway: ctx.gateway, relays: [ctx.config.url ?? []].flat(), warn });
      return running;
    };
    // A failure, such as a file that is damaged or in use, is not remembered: the next operation tries again.
    const begun = () => {
      service ??= begin().catch((thrown) => {
        service = undefined;
        throw thrown;
      });
      return service;
    };
    ctx.beforeStop(async () => (await service)?.end());
    return {
      operations: () => operations(begun),
      transports: (): Transport[] => [
        {
          name: "relay",
          schemes: ["relay:"],
          dialOptions: [{ flags: "--device <name>", description: "A host that this computer was paired with" }],
          isExpecting: () => running?.host.hasRelays ?? false,
          listen: async () => {
            const { host } = await begun();
            const addresses = host.relays.map(({ address }) => address);
            return addresses.length === 0 ? undefined : { address: addresses.join(", "), close: async () => {} };
          },
          kept: async () => (await import("./host/kept.ts")).keptPairings(),
          address: ({ device }) => (typeof device === "string" ? `relay:${encodeURIComponent(device)}` : undefined),
          known: async () => {
            const { attachCommand, pairedHosts } = await import("./client/hosts.ts");
            return pairedHosts().map(attachCommand);
          },
          dial: async (url) => (await import("./client/dial.ts")).dialPaired(url),
        },
      ],
      cliCommands: () => [...relayCommands(ctx), ...deviceCommands(ctx)],
    };
  },
});
