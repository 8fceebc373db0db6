import type { AnyPlugin } from "@scorel/kernel";

/** Milliseconds that it took to read a plugin's files and run them; of an extension, to compile them too. */
export const loadTimes = new WeakMap<AnyPlugin, number>();
