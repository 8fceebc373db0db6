import type { PluginContext } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import type { McpConfig } from "./config.ts";
import type { Surroundings } from "./servers/surroundings.ts";

export type Context = PluginContext<McpConfig, "workspace">;
export type Clock = Pick<Surroundings, "after" | "now">;
