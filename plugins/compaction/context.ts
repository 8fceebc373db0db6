import type {} from "@scorel/agent/contract";
import type { PluginContext } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/skills/contract";
import type { CompactionConfig } from "./config.ts";

/** What this plugin works with. */
export type CompactionContext = PluginContext<CompactionConfig, "agent" | "model">;
