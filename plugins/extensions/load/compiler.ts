import type { Jiti, TransformOptions } from "jiti";
import { type CachePlaces, type CompileCache, createCompileCache } from "./compile-cache.ts";
import { preload } from "./virtual-modules.ts";

/** Compiles the files of extensions, and runs those that import files of their own. */
export interface Compiler {
  /** The code of an entry file, kept from before where it is. Throws what is wrong with its syntax. */
  compile(source: string, filename: string): Promise<string>;
  /** The module of an entry file, made anew at each call together with the files that it imports. */
  run(source: string, filename: string): Promise<object>;
}

/** `offered` are the modules that need no looking for. */
export function createCompiler(offered: Record<string, unknown>, places: CachePlaces): Compiler {
  const kept = createCompileCache(places);
  let loading: Promise<Jiti> | undefined;
  // As long as all that is wanted is kept, the library is not even loaded.
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
      // Compiled even where Node could run it: what Node loads itself is shared by all sessions and never reread.
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

/** As the library asks for it when it runs the same file. */
function wantedOf(source: string, filename: string): TransformOptions {
  const ts = /\.[cm]?tsx?$/.test(filename);
  return { babel: {}, interopDefault: true, filename, source, ts, async: true, jsx: false };
}
