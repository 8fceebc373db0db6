import { dirname, join } from "node:path";
import type { AnyPlugin, KernelEntry } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { withRoom } from "@scorel/kit/files/room";
import { secretFree } from "@scorel/kit/text/secret-free";
import type { Table } from "@scorel/kit/values/table";
import { adviceFor, type UnknownField } from "../checks/manifest-flaws.ts";
import type { ExtensionFile, ExtensionProblem } from "../contract.ts";
import { errors } from "../errors.ts";
import { asProblem } from "./find.ts";
import type { LoadListeners } from "./loader.ts";

/** The configuration for loading extensions, and a callback for loaded ones. */
export interface ExtensionConfig {
  /** All tables by plugin id. */
  tables: Table;
  /** The table of an extension with a schema. Throws CONFIG_INVALID. */
  tableOf(id: string, schema: NonNullable<AnyPlugin["config"]>): unknown;
  /** Creates the error that tells why an extension cannot run once per process. */
  refused(problem: string): Error;
  /** Called with the milliseconds that it took to read an extension and run its file. */
  loaded(plugin: AnyPlugin, milliseconds: number): void;
}

/** Loads the extensions of one scope. An extension that cannot be loaded becomes a problem and does not affect the others. */
export async function extensionEntries(
  config: ExtensionConfig,
  files: readonly ExtensionFile[],
  scope: "host" | "session",
): Promise<{ entries: KernelEntry[]; problems: ExtensionProblem[] }> {
  const entries: KernelEntry[] = [];
  const problems: ExtensionProblem[] = [];
  if (files.length === 0) return { entries, problems };
  let load: Awaited<ReturnType<typeof createLoader>>;
  try {
    const onUnknown = ({ id, path }: ExtensionFile, fields: UnknownField[]) =>
      void problems.push(
        asProblem(path, errors.EXTENSION_FIELDS({ id, file: path, fields: fields.map(described) }), id),
      );
    load = await createLoader({ onUnknown });
  } catch (thrown) {
    // The folder of compiled code is not safe, so no extension is loaded. This is reported only once.
    problems.push(asProblem("extensions", thrown));
    return { entries, problems };
  }
  for (const file of files)
    try {
      const began = performance.now();
      const plugin = await load(file);
      const readMs = performance.now() - began;
      if ((plugin.scope ?? "session") === scope) {
        const entry = await entryOf(config, file, plugin);
        config.loaded(entry.plugin, readMs);
        entries.push(entry);
      } else if (scope === "session") assertHostAllowed(file, config);
    } catch (thrown) {
      problems.push(asProblem(file.path, thrown, file.id));
    }
  return { entries, problems };
}

const described = (field: UnknownField) => ({ name: field.name, advice: adviceFor(field) });

/** Creates a loader. Throws EXTENSION_FOLDER if another user could write into the folder of compiled code. */
export async function createLoader(listeners: LoadListeners = {}) {
  const { createExtensionLoader } = await import("./loader.ts");
  const folder = join(userDir(), "cache", "jiti");
  const places = { folder, keyFile: join(userDir(), "cache.key") };
  const isMade = withRoom(() => makePrivate(userDir(), dirname(folder), folder));
  return createExtensionLoader(isMade ? places : undefined, listeners);
}

/**
 * Creates an entry. A plugin with a schema gets its own validated table; without one, the whole configuration, as older extensions expect.
 */
async function entryOf(
  { tables, tableOf }: ExtensionConfig,
  { id, path, file }: ExtensionFile,
  plugin: AnyPlugin,
): Promise<KernelEntry> {
  const { contain } = await import("../containment/contain.ts");
  const entry = contain(plugin, { path, file, ...(await serviceCheck(plugin)) });
  return { ...entry, config: plugin.config ? tableOf(id, plugin.config) : secretFree(tables) };
}

/** The check of provided services. Loaded only for extensions that provide a service. */
async function serviceCheck({ provides = [] }: AnyPlugin) {
  if (provides.length === 0) return {};
  const { assertService } = await import("../checks/service-check.ts");
  return { checkService: assertService };
}

/** Throws for a host extension of a project or preset. Those of the user were already loaded when the process started. */
function assertHostAllowed({ id, path, of }: ExtensionFile, { refused }: ExtensionConfig): void {
  if (of === "user") return;
  const whose = of === "project" ? "a project's extension" : "an extension of a preset";
  throw refused(
    `Extension "${id}" is left out: ${whose} cannot run once per process (scope "host"); move it to ~/.scorel/extensions (${path})`,
  );
}
