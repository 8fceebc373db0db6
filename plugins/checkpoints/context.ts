import type { PluginContext } from "@scorel/kernel";
import type { Config } from "./config.ts";

/** The plugin's context in a session. */
export type Context = PluginContext<Config, "agent" | "tools" | "blobs">;
