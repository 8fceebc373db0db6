import { homedir } from "node:os";
import type { Invocation } from "@scorel/cli/contract";
import { type BaseContext, createKernel, newId } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { rootOf } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { environmentTexts } from "@scorel/kit/process/environment";
import type { McpService } from "@scorel/mcp/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";

/** Runs `work` with the MCP servers that a session in this folder would have. Does not start them. Throws MCP_ADMIN_NO_PLUGIN. */
export async function withServers<T>(
  ctx: BaseContext,
  { cwd: given, env }: Invocation,
  work: (service: McpService) => Promise<T>,
): Promise<T> {
  const composition = ctx.find("composition");
  const cwd = canonical(given);
  const { entries = [], trusted, trustedCopy } = (await composition?.sessionPlugins(cwd)) ?? {};
  const entry = entries.find(({ plugin }) => plugin.id === "mcp");
  if (!composition || !entry) throw errors.MCP_ADMIN_NO_PLUGIN();
  const workspace: Partial<Workspace> = {
    ...{ cwd, root: rootOf(cwd), home: homedir(), environment: environmentTexts(env) },
    ...(trusted !== undefined && { trusted }),
    ...(trustedCopy && { trustedCopy }),
  };
  const kernel = await createKernel({
    entries: [entry],
    store: createMemoryStore({
      ...{ version: 1, sessionId: newId(), deviceId: newId(), createdAt: Date.now(), epoch: newId() },
      meta: {},
    }),
    parent: composition.kernel(),
    services: { workspace: workspace as Workspace },
  });
  try {
    const service = kernel.find("mcp");
    if (!service) throw errors.MCP_ADMIN_NO_PLUGIN();
    return await work(service);
  } finally {
    await kernel.stop();
  }
}
