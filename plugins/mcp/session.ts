import type { Clock, Context } from "./context.ts";
import type { McpServerRow, McpService } from "./contract.ts";
import { instructionParts } from "./instructions.ts";
import { Offer } from "./offer.ts";
import { promptCommands } from "./prompts.ts";
import { offersOf, rowOf } from "./rows.ts";
import { definitionsOf } from "./servers/definitions.ts";
import type { Server } from "./servers/server.ts";
import { Servers } from "./servers/servers.ts";
import { shownChange } from "./servers/words.ts";
import { objectionTo } from "./tools/changed.ts";
import { resourceMentions } from "./tools/resources.ts";
import { budgetIn } from "./tools/selection.ts";

/** Makes the service and the contributions of a session. Its servers start with it, in the background, and end with it. */
export function createSession(ctx: Context, clock: Clock) {
  const tell = (problem: unknown) => ctx.report("", problem);
  const definitions = definitionsOf(ctx.config, ctx.workspace, tell);
  const servers = new Servers(definitions, {
    ctx,
    clock,
    allowed: ctx.config.variables,
    sampling: ctx.config.sampling,
    changed: () => offer.changed(),
  });
  const offer = new Offer(servers, {
    contribute: (tools) => ctx.contribute("tools", tools),
    isUsable: (name) => ctx.find("tools")?.get(name) !== undefined,
    budget: () => budgetIn(ctx.find("model")?.current().contextWindow ?? 0, ctx.config.toolBudget),
    found: () => ctx.session.projection("foundTools"),
    tell,
    waitMs: ctx.config.wait * 1_000,
    after: clock.after,
  });
  let isStarted = false;
  const start = () => {
    if (!isStarted) servers.start();
    isStarted = true;
  };
  // Set after a turn. If a script got its answer, the end of the session may take a little longer, since nobody waits for it.
  let isAnswered = false;
  ctx.beforeStop(() => servers.close(isAnswered && !ctx.workspace.attending));
  const { beforeContext, approveToolCall } = createHooks(ctx, { servers, offer, start });
  return {
    service: createService(servers, (server) => rowOf(server, servers, offer, ctx.config.toolBudget)),
    commands: () => promptCommands(servers),
    contributions: {
      mentionSources: [resourceMentions(servers)],
      promptParts: () => instructionParts(servers, (text) => ctx.find("secrets")?.redact(text) ?? text),
      // `session_start` does not come in sessions that are only read, so they start no servers.
      onEvent({ type, stopReason }: { type: string; stopReason?: unknown }) {
        if (type === "session_start") start();
        if (type === "turn_end") isAnswered = stopReason !== "aborted";
      },
      // `scorel mcp` loads this plugin without a conversation.
      hooks: ctx.find("agent") ? { beforeContext, approveToolCall } : {},
    },
  };
}

/** The service `mcp`. `row` describes a server. */
function createService(servers: Servers, row: (server: Server) => McpServerRow): McpService {
  return {
    servers: () => servers.all.map(row),
    named: (name) => row(servers.named(name)),
    offers: (name) => offersOf(servers.named(name)),
    accept(name) {
      const { pins, redact } = servers.named(name);
      const changes = pins.names.flatMap((tool) => {
        const change = pins.changeOf(tool);
        return change ? [{ tool, words: shownChange(change, redact) }] : [];
      });
      pins.accept(pins.names);
      return changes;
    },
    login: async (name, dialog) => servers.logins.login(servers.named(name).definition, dialog),
    logout: async (name) => servers.logins.logout(servers.named(name).definition),
    async restart(name) {
      const server = servers.named(name);
      await server.restart();
      return row(server);
    },
  };
}

interface SessionParts {
  servers: Servers;
  offer: Offer;
  /** Starts the servers, unless they were started before. */
  start(): void;
}

/** The layers that wait for the servers before a turn, and refuse calls of tools that have changed. */
function createHooks(ctx: Context, { servers, offer, start }: SessionParts) {
  const beforeContext = {
    level: "early" as const,
    // No time limit for the hook: `wait` in the configuration limits it.
    limit: false as const,
    handler: async (_call: unknown, signal: AbortSignal = ctx.signal) => {
      if (!isTurnStart(ctx)) return;
      start();
      await offer.beforeTurn(signal);
    },
  };
  const approveToolCall = {
    critical: true,
    // No time limit for the hook: the start of a server, for which a call waits, has its own.
    limit: false as const,
    handler: async ({ toolCall }: { toolCall: { id: string; name: string } }) => objectionTo(toolCall, servers),
  };
  return { beforeContext, approveToolCall };
}

/** Whether the newest message is from a person, and not a tool result within the same turn. */
function isTurnStart({ session }: Context): boolean {
  const leaf = session.activeLeaf;
  const last = leaf === null ? undefined : session.tree.nearest(leaf, "message");
  return last?.message.role !== "tool_result";
}
