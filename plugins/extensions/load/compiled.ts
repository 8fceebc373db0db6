import { createRequire, isBuiltin } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

type Give = (name: string) => Promise<unknown>;
type Body = (...given: [exports: unknown, require: undefined, module: object, ...string[], Give]) => Promise<void>;

/**
 * Runs the compiled code of a file and returns its module. Only for files that import nothing but modules of the host and of
 * Node; for others it returns undefined, since they need the compiler's loader. Throws what the file throws.
 */
export async function runCompiled(
  code: string,
  filename: string,
  offered: Readonly<Record<string, unknown>>,
): Promise<object | undefined> {
  if (!isPlain(code, offered)) return undefined;
  const module: { exports: unknown } = { exports: {} };
  const body = functionOf(code, filename);
  if (!body) return undefined;
  const give = async (name: string) => asImported(await (Object.hasOwn(offered, name) ? offered[name] : builtin(name)));
  await body(module.exports, undefined, module, filename, dirname(filename), give);
  return asImported(module.exports) as object;
}

const builtin = createRequire(import.meta.url);

/**
 * Whether compiled code can run without the compiler's loader. If a string contains one of these words, the loader is used unnecessarily,
 * which is harmless. `__JITI_ERROR__` marks a syntax error.
 */
function isPlain(code: string, offered: object): boolean {
  if (/\b(?:require|jitiESMResolve|__JITI_ERROR__)\b/.test(code)) return false;
  const literal = [...code.matchAll(/\bjitiImport\("([^"\\]+)"\)/g)].map(([, name = ""]) => name);
  const all = code.match(/\bjitiImport\b/g) ?? [];
  return literal.length === all.length && literal.every((name) => Object.hasOwn(offered, name) || isBuiltin(name));
}

/**
 * Compiles the code to a function. The wrapper adds no line before the code, so that line numbers in errors are those of the file. Returns
 * undefined for a syntax error, which the compiler reports.
 */
function functionOf(code: string, filename: string): Body | undefined {
  const wrapped = `(async function (exports, require, module, __filename, __dirname, jitiImport) { ${code}\n})`;
  try {
    return new Script(wrapped, { filename }).runInThisContext() as Body;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Wraps a module like the compiler's loader does: marked as an ES module, and always with a default export. */
function asImported(namespace: unknown): unknown {
  if (!isObject(namespace)) return namespace;
  return new Proxy(namespace, {
    get(target, name) {
      if (name === "__esModule") return true;
      const value: unknown = Reflect.get(target, name);
      return name === "default" ? (value ?? target) : value;
    },
  });
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
