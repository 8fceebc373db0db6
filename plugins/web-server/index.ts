import type {} from "@scorel/cli/contract";
import type { Listening } from "@scorel/gateway/contract";
import { definePlugin } from "@scorel/kernel";
import { outputOption } from "@scorel/kit/terminal/output-option";
import { z } from "zod";
import type { Codes } from "./codes.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";

const config = z
  .strictObject({
    names: z
      .array(z.string())
      .default([])
      .describe("Further host names by which clients reach the server, without port"),
    origins: z
      .array(z.string())
      .default([])
      .describe("Further origins of this host's own page, such as https://example.org for a proxy"),
    pages: z
      .array(z.string())
      .default([])
      .describe("Origins of the pages of other hosts that may connect, such as http://127.0.0.1:7777"),
  })
  .prefault({});

/** Plugin `web-server`: one HTTP server for everything that clients of the host reach over TCP. */
export default definePlugin({
  id: "web-server",
  name: "Web server",
  version: "0.1.0",
  scope: "host",
  provides: ["webServer"],
  config,

  activate(ctx) {
    let listening: (Listening & { codes: Codes }) | undefined;
    ctx.provide("webServer", {
      get address() {
        return listening?.address;
      },
      isLetIn: async (tokenId) => (await import("./pages.ts")).isLetIn(tokenId),
    });
    return {
      operations: () => operations(() => listening),
      transports: () => [
        {
          name: "web",
          options: [
            {
              flags: "--port <n>",
              description: "Accept clients over HTTP and WebSocket at this port; 0 for any free one",
            },
            { flags: "--bind <address>", description: "IP address to listen at; default: 127.0.0.1" },
            { flags: "--tls-cert <file>", description: "Certificate in PEM form, for encrypted connections" },
            { flags: "--tls-key <file>", description: "Private key of the certificate" },
            { flags: "--insecure", description: "Let other computers connect without encryption" },
          ],
          danger: async (options) => (await import("./settings.ts")).dangerOf(options),
          probe: async (options, freed) => (await import("./probe.ts")).probe(options, freed),
          kept: async () => (await import("./tokens.ts")).keptTokens(),
          listen: async (options) => {
            const { listen } = await import("./listen.ts");
            listening = await listen(ctx, options);
            return listening;
          },
        },
      ],
      cliCommands: () => [
        {
          noun: "host",
          action: "token",
          args: "[action] [name]",
          description: "List the tokens that let clients in, or rotate, show-path or remove one",
          options: [
            { flags: "--scope <list>", description: "With rotate: view, prompt, approve, admin, separated by commas" },
            outputOption,
          ],
          run: async (invocation) => (await import("./token-command.ts")).tokenCommand(invocation),
        },
        {
          noun: "host",
          action: "curlrc",
          args: "[name]",
          description: "Write a configuration with which curl sends a token, and print its path: curl -K <path> …",
          run: async (invocation) => (await import("./token-command.ts")).curlCommand(invocation),
        },
      ],
    };
  },
});
