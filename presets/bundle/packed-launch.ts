/** Replaces launch.ts in the built command: loads it through the code cache. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Launch from "../start/launch.ts";
import { createCodeCache } from "./code-cache.ts";
import { createModules } from "./modules.ts";

const cache = createCodeCache();
const load = createModules(dirname(fileURLToPath(import.meta.url)), cache);
process.once("exit", () => cache.keep());

export const { launch, ownStreams, startHost } = load("launch.js") as typeof Launch;
