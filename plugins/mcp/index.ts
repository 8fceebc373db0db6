import { existsSync } from "node:fs";
import { join } from "node:path";
import type {} from "@scorel/agent/contract";
import type {} from "@scorel/cli/contract";
import type {} from "@scorel/commands/contract";
import { definePlugin } from "@scorel/kernel";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/tools/contract";
import type {} from "@scorel/workspace/contract";
import { mcpCommand } from "./command.ts";
import { config } from "./config.ts";
import type { Clock } from "./context.ts";
import type { McpService } from "./contract.ts";
import { errors } from "./errors.ts";
import { operations } from "./operations.ts";
import { foundTools } from "./tools/found.ts";

const realClock: Clock = {
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  now: () => performance.now(),
};

/** Plugin `mcp`: the tools of MCP servers. In a session without servers, no other module of the plugin is loaded. */
export function createMcp(clock: Clock = realClock) {
  return definePlugin({
    id: "mcp",
    name: "MCP",
    version: "0.1.0",
    needs: ["workspace"],
    provides: ["mcp"],
    config,
    projections: { foundTools },
    // `widens`, because programs that a client names run with the rights of the host.
    sessionOptions: () => [{ key: "mcpServers", kind: "texts", widens: true }],

    async activate(ctx) {
      const { mcpServers = [], trustedCopy } = ctx.workspace;
      const hasServers = ctx.config.servers.length > 0 || mcpServers.length > 0 || hasMcpJson(trustedCopy?.root);
      const made = hasServers ? (await import("./session.ts")).createSession(ctx, clock) : undefined;
      const service = made?.service ?? none;
      ctx.provide("mcp", service);
      return {
        ...made?.contributions,
        operations: () => operations(service),
        commands: () => ({ mcp: mcpCommand(), ...made?.commands() }),
      };
    },
  });
}

export default createMcp();

const none: McpService = {
  servers: () => [],
  named(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
  offers(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
  accept(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
  async login(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
  async logout(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
  async restart(name) {
    throw errors.MCP_UNKNOWN({ server: name, known: [] });
  },
};

function hasMcpJson(root: string | undefined): boolean {
  return root !== undefined && existsSync(join(root, MCP_JSON));
}
