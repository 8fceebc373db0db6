import { fileURLToPath } from "node:url";
import type { Project } from "@scorel/trust/loader";

/** The folder that a trusted project's `.scorel` files are read from: the private copy, if there is one. */
export const filesOf = ({ dir, files = dir }: Project): string => files;

/** The folder of the presets that come with Scorel, in the sources and in the built command. */
export const shippedPresets = fileURLToPath(new URL("../presets/", import.meta.url));

/** The tsconfig.json that extensions extend. The build writes it, so it is missing when running from the sources. */
export const typesProject = fileURLToPath(new URL("../types/tsconfig.json", import.meta.url));

/** The program that runs tests of extensions. The build writes it, so it is missing when running from the sources. */
export const testRunner = fileURLToPath(new URL("../test-kit.js", import.meta.url));
