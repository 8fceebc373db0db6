import { createJiti } from "jiti";
import { createVirtualModules } from "./virtual-modules.ts";

/**
 * Runs test files of extensions in this process, as `node --test` would. They may import what extensions may import, and the
 * modules that `loadMore` loads, by name.
 */
export async function runTests(
  files: readonly string[],
  loadMore: Readonly<Record<string, () => Promise<object>>>,
): Promise<void> {
  const virtualModules = createVirtualModules({ more: loadMore });
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: true, tryNative: false, virtualModules });
  for (const file of files) await jiti.import(file);
}
