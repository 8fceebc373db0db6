import { deviceOperations } from "./device-operations.ts";
import type { AllowedRelays } from "./devices.ts";
import { type PushOptions, pushOperations } from "./push/operations.ts";

/** Operations of the page: about the other hosts that it may connect to, and about pushes to its browser. */
export const operations = (options: PushOptions & { allowed: AllowedRelays }) => ({
  ...deviceOperations(options.allowed),
  ...pushOperations(options),
});
