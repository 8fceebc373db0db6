import { existsSync } from "node:fs";
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

/**
 * Files that contain many modules each, because one file is read and compiled faster than many: FIRST has the modules of every command
 * with sessions, SESSIONS those of sessions, which another process may run.
 */
const FIRST = "first.js";
const SESSIONS = "sessions.js";

/** Returns the `require` of the command built into `directory`: it loads modules by their path there, and packages as Node does. */
export function createModules(directory: string, cache: CodeCache): (name: string) => object {
  const outside = createRequire(join(directory, "bin.js"));
  const read = new Map<string, Readonly<Record<string, Body>>>();
  const bodyIn = (file: string, name: string): Body | undefined => {
    const path = join(directory, file);
    const bodies = read.get(path) ?? (cache.evaluate(path) as Readonly<Record<string, Body>>);
    read.set(path, bodies);
    if (!Object.hasOwn(bodies, name)) return undefined;
    cache.use(path, name);
    return bodies[name];
  };
  const bodyOf = (name: string): Body => {
    const path = join(directory, name);
    return (
      bodyIn(FIRST, name) ??
      (existsSync(path) ? (cache.evaluate(path) as Body) : bodyIn(SESSIONS, name)) ??
      missing(path)
    );
  };
  const loaded = new Map<string, Module>();
  const paths = new Map<string, string>();
  /** Resolves a path. Cached, because the same few paths are imported again and again, and joining them would take most of the time. */
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
    try {
      bodyOf(name)(module.exports, require, module);
    } catch (thrown) {
      // Otherwise the next attempt would get the module half made, without the reason.
      loaded.delete(name);
      throw thrown;
    }
    return module.exports;
  };
}

function missing(path: string): never {
  throw new Error(`${path} is missing: install Scorel again`);
}
