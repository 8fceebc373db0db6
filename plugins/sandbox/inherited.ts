import type { BaseContext } from "@scorel/kernel";
import type { SandboxConfig } from "./config.ts";
import type {} from "./contract.ts";

/** The chosen executor. A session whose parent has a sandbox does not run programs without one. */
export function executorFor(ctx: BaseContext, config: SandboxConfig): SandboxConfig["executor"] {
  const workspace = ctx.find("workspace");
  const own = workspace?.sandbox ?? config.executor;
  const limit = workspace?.parent?.limits("sandbox").atStart as { executor: SandboxConfig["executor"] } | undefined;
  return own === "local" && limit ? limit.executor : own;
}
