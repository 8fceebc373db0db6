import type { BaseContext } from "@scorel/kernel";
import type { SandboxConfig } from "./config.ts";
import type {} from "./contract.ts";

interface Limit {
  executor: SandboxConfig["executor"];
}

/** The chosen executor. A session whose parent has a sandbox does not run programs without one. */
export function executorFor(ctx: BaseContext, config: SandboxConfig): SandboxConfig["executor"] {
  const workspace = ctx.find("workspace");
  const own = workspace?.sandbox ?? config.executor;
  if (own !== "local") return own;
  const { atStart, now } = (workspace?.parent?.limits("sandbox") ?? {}) as { atStart?: Limit; now?: Limit };
  const limits = [atStart, now].flatMap((limit) => limit?.executor ?? []);
  return limits.find((executor) => executor !== "local") ?? own;
}
