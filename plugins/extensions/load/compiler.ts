import type { Jiti, TransformOptions } from "jiti";
import { type CachePlaces, type CompileCache, createCompileCache } from "./compile-cache.ts";
import { preload } from "./virtual-modules.ts";

/** Compiles the files of extensions, and runs extensions that import other files of theirs. */
export interface Compiler {
  /** Returns the compiled code of an entry file, from the cache if possible. Throws syntax errors. */
  compile(source: string, filename: string): Promise<string>;
  /** Runs an entry file and the files that it imports, and returns its module. Every call runs them again. */
  run(source: string, filename: string): Promise<object>;
}

const NO_CACHE: CompileCache = { find: () => undefined, keep: (_wanted, code) => code };

/** Creates a compiler. `offered` contains the host's modules that extensions may import, by name. Without `places`, nothing is kept. */
export function createCompiler(offered: Record<string, unknown>, places: CachePlaces | undefined): Compiler {
  const kept = places ? createCompileCache(places) : NO_CACHE;
  let loading: Promise<Jiti> | undefined;
  // The compiler is only loaded if the cache does not have the code.
  const library = () => {
    loading ??= loadLibrary(kept, offered);
    return loading;
  };
  return {
    async compile(source, filename) {
      const wanted = wantedOf(source, filename);
      return kept.find({ ...wanted }) ?? (await library()).transform(wanted);
    },
    async run(source, filename) {
      await preload(source);
      // The file is compiled even if Node could run it: a module loaded by Node is shared by all sessions and never reloaded.
      const options = { filename, async: true, forceTranspile: true };
      return (await (await library()).evalModule(source, options)) as object;
    },
  };
}

const options = { fsCache: false, interopDefault: true, moduleCache: false, tryNative: false };

async function loadLibrary(kept: CompileCache, offered: Record<string, unknown>): Promise<Jiti> {
  const { createJiti } = await import("jiti");
  const compiler = createJiti(import.meta.url, options);
  const transform = (wanted: TransformOptions) => {
    const asked = { ...wanted };
    return { code: kept.find(asked) ?? kept.keep(asked, compiler.transform(wanted)) };
  };
  return createJiti(import.meta.url, { ...options, transform, virtualModules: offered });
}

/** The options that the compiler uses when it runs the file; with the same ones both use the same cache entry. */
function wantedOf(source: string, filename: string): TransformOptions {
  const ts = /\.[cm]?tsx?$/.test(filename);
  return { babel: {}, interopDefault: true, filename, source, ts, async: true, jsx: false };
}
