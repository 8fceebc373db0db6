import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type AnyPlugin, codeOf, messageOf } from "@scorel/kernel";
import { within } from "@scorel/kit/values/within";
import { manifestFlaws, type UnknownField, unknownFields } from "../checks/manifest-flaws.ts";
import { rememberExtension } from "../containment/owners.ts";
import { framesOf } from "../containment/stack.ts";
import type { ExtensionFile } from "../contract.ts";
import { errors } from "../errors.ts";
import type { CachePlaces } from "./compile-cache.ts";
import { runCompiled } from "./compiled.ts";
import { type Compiler, createCompiler } from "./compiler.ts";
import { hearingPi } from "./pi-events.ts";
import { createVirtualModules } from "./virtual-modules.ts";

/** Loads one extension. Throws EXTENSION_LOAD or EXTENSION_SHAPE with the file, the line if known, and the reason. */
export type ExtensionLoader = (file: ExtensionFile) => Promise<AnyPlugin>;

export interface LoadListeners {
  /** Called with the name of each of Scorel's modules that an extension imports. */
  onUse?: ((name: string) => void) | undefined;
  /** Called with the unknown fields of an extension. */
  onUnknown?: ((file: ExtensionFile, fields: UnknownField[]) => void) | undefined;
}

/** Creates a loader. Each call runs the files again, so that sessions share no module state. Without `cache`, no compiled code is kept. */
export function createExtensionLoader(
  cache: CachePlaces | undefined,
  { onUse, onUnknown }: LoadListeners = {},
): ExtensionLoader {
  const offered = createVirtualModules({ ...(onUse && { onUse }) });
  const compiler = createCompiler(offered, cache);
  return async (file) => {
    rememberExtension(file);
    const { value, source } = await run(file, offered, compiler);
    const plugin = shape(value, file);
    const unknown = unknownFields(value as object, Object.keys(plugin));
    if (unknown.length > 0) onUnknown?.(file, unknown);
    return withNeeds(plugin, source);
  };
}

/** Time limit in milliseconds for the top level of an extension and its exported function together. */
const LOAD_LIMIT_MS = 10_000;

interface Ran {
  /** The default export or, if that is a function, its return value. */
  value: unknown;
  /** The source code of the file. */
  source: string;
}

async function run(file: ExtensionFile, offered: Record<string, unknown>, compiler: Compiler): Promise<Ran> {
  try {
    if (file.within !== undefined) (await import("./imports.ts")).assertInside(file, file.within);
    const source = readFileSync(file.file, "utf8");
    const compiled = await compiler.compile(source, file.file);
    const load = async () => {
      const plain = await runCompiled(compiled, file.file, offered);
      return instantiate(exportedBy(plain ?? (await compiler.run(source, file.file))));
    };
    const late = () => errors.EXTENSION_LATE({ limit: LOAD_LIMIT_MS / 1_000 });
    return { value: await within(LOAD_LIMIT_MS, load(), late), source };
  } catch (thrown) {
    if (codeOf(thrown) === "EXTENSION_OUTSIDE") throw thrown;
    const { where, reason: message } = explain(file.file, thrown);
    const reason = await (await import("./import-advice.ts")).withAdvice(message, file, offered);
    const shown = (text: string) => text.replaceAll(dirname(file.file), dirname(file.path));
    throw errors.EXTENSION_LOAD({ id: file.id, where: shown(where), reason: shown(reason) }, { cause: thrown });
  }
}

/** The default export, or `module.exports` of CommonJS code. */
function exportedBy(module: object & { default?: unknown }): unknown {
  // If a file has no default export, the compiler's loader returns the module itself as `default`.
  const exported = module.default;
  return "default" in module || typeof exported === "function" || "id" in module ? exported : undefined;
}

/** Returns the plugin: the default export may be the plugin, a class of it, or a function that returns it. */
async function instantiate(exported: unknown): Promise<unknown> {
  if (typeof exported !== "function") return exported;
  if (isClass(exported)) return Reflect.construct(exported, []);
  return await exported();
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}

/** The place of an error and its reason. The place is that of a syntax error, else the topmost stack frame in the extension's folder. */
function explain(path: string, thrown: unknown): { where: string; reason: string } {
  const message = messageOf(thrown);
  const parsed = /^(?:\w+: )?([\s\S]*?)\s*\n\s(\S.*:\d+):\d+$/.exec(message);
  if (parsed?.[1] && parsed[2]) return { reason: parsed[1], where: parsed[2] };
  const folder = dirname(path);
  const stack = thrown instanceof Error ? (thrown.stack ?? "").replace(message, "") : "";
  const frame = framesOf(stack).find(([file]) => file.startsWith(`${folder}/`));
  return { reason: message.split("\n")[0] ?? message, where: frame?.join(":") ?? path };
}

function shape(value: unknown, { id, path }: ExtensionFile): AnyPlugin {
  const fail = (reason: string) => errors.EXTENSION_SHAPE({ id, file: path, reason });
  if (typeof value !== "object" || value === null)
    throw fail("its default export is not a plugin, a class of one, or a function that returns one");
  const plugin = adapt(value);
  const flaws = manifestFlaws(plugin as unknown as Record<string, unknown>);
  if (typeof plugin.id === "string" && plugin.id !== "" && plugin.id !== id)
    flaws.push(`its id is "${plugin.id}", but the file or folder is named "${id}"; they have to be equal`);
  if (flaws.length > 0) throw fail(flaws.join("; "));
  return plugin;
}

/** Adds `needs: ["agent"]` to a session extension without `needs`, as extensions written before `needs` existed expect. */
function withNeeds(plugin: AnyPlugin, source: string): AnyPlugin {
  const needing = asExtension(plugin);
  return needing === plugin ? plugin : hearingPi(needing, source);
}

/** The plugin with the needs that every session extension has. */
export function asExtension(plugin: AnyPlugin): AnyPlugin {
  return plugin.needs !== undefined || plugin.scope === "host" ? plugin : { ...plugin, needs: ["agent"] };
}

/** A plain object with the members of an instance. Methods are bound to the instance, so that its private fields work. */
function adapt(instance: object): AnyPlugin {
  const plugin: Record<string, unknown> = {};
  for (
    let source: object | null = instance;
    source && source !== Object.prototype;
    source = Object.getPrototypeOf(source)
  )
    for (const key of Object.getOwnPropertyNames(source)) {
      if (key === "constructor" || Object.hasOwn(plugin, key)) continue;
      const value: unknown = Reflect.get(instance, key, instance);
      plugin[key] = typeof value === "function" && !isClass(value) ? value.bind(instance) : value;
    }
  return plugin as unknown as AnyPlugin;
}
