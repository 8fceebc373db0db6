import { fileURLToPath } from "node:url";
import type { Project } from "@scorel/trust/loader";

/** Where a file of a trusted project is read. */
export const filesOf = ({ dir, files = dir }: Project): string => files;

/** The presets that come with Scorel: beside this file, in the sources as in the bundle's folders. */
export const shippedPresets = fileURLToPath(new URL("../presets/", import.meta.url));

/** What the build makes for those who write extensions; a command that runs from its sources has none. */
export const typesProject = fileURLToPath(new URL("../types/tsconfig.json", import.meta.url));
