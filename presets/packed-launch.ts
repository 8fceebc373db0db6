/** Stands in for launch.ts in the built command. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createCodeCache } from "./code-cache.ts";
import type * as Launch from "./launch.ts";
import { createModules } from "./modules.ts";

const cache = createCodeCache();
const load = createModules(dirname(fileURLToPath(import.meta.url)), cache);
process.once("exit", () => cache.keep());

export const { launch, startHost } = load("launch.js") as typeof Launch;
