import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { CodeCache } from "./code-cache.ts";

/** A module of the built command, as a function that presets/bundle/pack.mjs writes. */
type Body = (exports: object, require: (name: string) => unknown, module: Module) => void;

interface Module {
  exports: object;
  readonly url: string;
}

/** The file with the modules that most commands need; one file is read and compiled faster than many. */
export const togetherFile = "together.js";

/** Returns the `require` of the command built into `directory`: it loads modules by their path there, and packages as Node does. */
export function createModules(directory: string, cache: CodeCache): (name: string) => object {
  const outside = createRequire(join(directory, "bin.js"));
  const together = join(directory, togetherFile);
  const bodies = cache.evaluate(together) as Readonly<Record<string, Body>>;
  const loaded = new Map<string, Module>();
  const bodyOf = (name: string): Body => {
    const body = Object.hasOwn(bodies, name) ? bodies[name] : undefined;
    if (!body) return cache.evaluate(join(directory, name)) as Body;
    cache.use(together, name);
    return body;
  };
  const paths = new Map<string, string>();
  /** Modules are imported from few folders again and again, so that joining the paths each time would cost more than the rest. */
  const pathOf = (folder: string, wanted: string): string => {
    const key = `${folder} ${wanted}`;
    const path = paths.get(key) ?? posix.join(folder, wanted);
    paths.set(key, path);
    return path;
  };
  return function load(name: string): object {
    const known = loaded.get(name);
    if (known) return known.exports;
    const module: Module = {
      exports: {},
      get url() {
        return pathToFileURL(join(directory, name)).href;
      },
    };
    loaded.set(name, module);
    const folder = posix.dirname(name);
    const require = (wanted: string) => (wanted.startsWith(".") ? load(pathOf(folder, wanted)) : outside(wanted));
    bodyOf(name)(module.exports, require, module);
    return module.exports;
  };
}
