import type { PluginContext } from "@scorel/kernel";
import type { Config } from "./config.ts";

/** What the plugin is given in a session. */
export type Context = PluginContext<Config, "agent" | "tools" | "blobs">;
