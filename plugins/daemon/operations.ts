import type { ConnectedClient } from "@scorel/gateway/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import { errors } from "./errors.ts";
import type { Serving } from "./serve.ts";

const count = z.int().nonnegative();

/**
 * The operations about the host itself. `serving` returns the daemon in this process, if this process is one; `clients` returns the clients
 * of its transports.
 */
export function operations(serving: () => Serving | undefined, clients: () => readonly ConnectedClient[]) {
  const running = () => {
    const here = serving();
    if (!here) throw errors.DAEMON_NONE();
    return here;
  };
  return {
    host_status: {
      summary: "Describes the host: its version, addresses, clients and sessions.",
      readOnly: true,
      size: { bounded: "The host has at most 1,024 clients." },
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          ...{ pid: z.int(), version: z.string(), preset: z.string(), startedAt: z.number() },
          addresses: z.array(
            z.strictObject({ transport: z.string(), address: z.string(), note: z.string().optional() }),
          ),
          clients: z.array(
            z.strictObject({
              ...{ clientId: z.string(), transport: z.string(), name: z.string().optional() },
              ...{ version: z.string().optional(), scopes: z.array(z.string()).readonly().optional() },
              ...{ connected: z.boolean(), since: z.number() },
            }),
          ),
          sessions: z.strictObject({ open: count, running: count, waiting: count }),
        }),
      run: () => running().status(),
    },
    close_unused_sessions: {
      summary: "Closes the sessions below a directory that the host keeps open although nobody uses them.",
      paths: { cwd: "directory" },
      params: () => z.strictObject({ cwd: z.string().min(1).max(4096) }),
      result: () => z.strictObject({}),
      run: async ({ cwd }) => {
        await running().closeIn(cwd);
        return {};
      },
    },
    open_port: {
      summary: "Has the host listen at a port of its computer, as the page needs it; only for commands of its user.",
      params: () => z.strictObject({ port: z.int().min(0).max(65_535) }),
      result: () => z.strictObject({ address: z.string() }),
      run: async ({ port }, { clientId, assertOperations }) => {
        assertOperations("all", "open_port");
        const here = running();
        const isOwn = clients().some((client) => client.clientId === clientId && client.transport === "socket");
        if (!isOwn) throw errors.DAEMON_OWN_USER();
        return { address: await here.openPort(port) };
      },
    },
    stop_host: {
      summary: "Stops the host; running turns get 10 seconds to end.",
      params: () => z.strictObject({ whenIdle: z.boolean().optional() }),
      result: () => z.strictObject({ stopping: z.boolean(), reason: z.string().optional() }),
      run: async ({ whenIdle = false }, { clientId }) => {
        const here = running();
        const reason = whenIdle ? await here.usedBy(clientId) : undefined;
        if (reason !== undefined) return { stopping: false, reason };
        here.stop();
        return { stopping: true };
      },
    },
  } satisfies Contributions["operations"];
}
