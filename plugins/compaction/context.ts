import type {} from "@scorel/agent/contract";
import type { PluginContext } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/skills/contract";
import type { CompactionConfig } from "./config.ts";

/** The context that all parts of this plugin use. */
export type CompactionContext = PluginContext<CompactionConfig, "agent" | "model">;
