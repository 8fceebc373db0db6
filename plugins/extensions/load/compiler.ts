import type { Jiti, TransformOptions } from "jiti";
import { type CachePlaces, type CompileCache, createCompileCache } from "./compile-cache.ts";
import { preload } from "./virtual-modules.ts";

/** Compiles the files of extensions, and runs those that import files of their own. */
export interface Compiler {
  /** The compiled code of an entry file, from the cache when it is there. Throws syntax errors. */
  compile(source: string, filename: string): Promise<string>;
  /** Runs an entry file, and the files that it imports, anew at each call, and returns its module. */
  run(source: string, filename: string): Promise<object>;
}

/** `offered` are the modules of the host, by the names under which extensions import them. */
export function createCompiler(offered: Record<string, unknown>, places: CachePlaces): Compiler {
  const kept = createCompileCache(places);
  let loading: Promise<Jiti> | undefined;
  // The compiler is loaded only when something is not in the cache.
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
      // Compiled even where Node could run the file: modules that Node loads are shared by all sessions and never read again.
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

/** The same options that the compiler uses when it runs the file, so that both find the same entry of the cache. */
function wantedOf(source: string, filename: string): TransformOptions {
  const ts = /\.[cm]?tsx?$/.test(filename);
  return { babel: {}, interopDefault: true, filename, source, ts, async: true, jsx: false };
}
