import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { packagesDir } from "@scorel/kit/files/home";
import type { PackageSource } from "../contract.ts";
import { errors } from "../errors.ts";
import { engineFlaw } from "./engine.ts";
import { entryIn } from "./entry-file.ts";
import { extensions } from "./kinds.ts";
import { isAnyInstalled, isAnyStaged } from "./lock.ts";

/** An installed extension whose files are unchanged since the installation. */
export interface InstalledExtension {
  id: string;
  /** Its installed entry file, to show. */
  path: string;
  /** The entry file in the private copy, to load. */
  file: string;
  /** The private copy. */
  root: string;
  source: PackageSource;
}

/** An installed extension that is not loaded, and why. */
export interface ExtensionFlaw {
  /** The id of the extension; absent for a problem with the lock file. */
  plugin?: string;
  origin: string;
  code: string;
  message: string;
}

/**
 * The installed extensions, each checked against the lock file. An extension that differs is left out; if the lock file
 * is damaged, all are. Without a lock file, this costs two system calls.
 */
export async function installedExtensions(
  version: string,
): Promise<{ extensions: InstalledExtension[]; problems: ExtensionFlaw[] }> {
  const found: { extensions: InstalledExtension[]; problems: ExtensionFlaw[] } = { extensions: [], problems: [] };
  if (!isAnyInstalled(extensions) && !isAnyStaged(extensions)) return found;
  const fail = (origin: string, thrown: unknown, plugin?: string) =>
    void found.problems.push({
      ...(plugin !== undefined && { plugin }),
      origin,
      code: codeOf(thrown),
      message: messageOf(thrown),
    });
  const [{ readLock }, { verifiedPackage }] = await Promise.all([import("./steps.ts"), import("./verify.ts")]);
  const lock = await readLock(extensions).catch((thrown: unknown) => fail(packagesDir(), thrown));
  for (const [id, { source, files }] of Object.entries(lock ?? {})) {
    const folder = join(packagesDir(), id);
    try {
      const root = await verifiedPackage(extensions, id);
      // An update may have removed the extension meanwhile.
      if (root === undefined) continue;
      assertFits(id, root, version);
      const entry = entryIn(Object.keys(files)) ?? "index.js";
      found.extensions.push({ id, path: join(folder, entry), file: join(root, entry), root, source });
    } catch (thrown) {
      fail(folder, thrown, id);
    }
  }
  return found;
}

/** Checked at each start, because Scorel may have been updated since the extension was installed. */
function assertFits(name: string, root: string, version: string): void {
  const manifest = join(root, "package.json");
  const reason = engineFlaw(existsSync(manifest) ? readFileSync(manifest, "utf8") : undefined, version);
  if (reason !== undefined) throw errors.PACKAGES_ENGINE({ name, reason });
}
