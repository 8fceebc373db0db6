import { createRequire, isBuiltin } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

type Give = (name: string) => Promise<unknown>;
type Body = (...given: [exports: unknown, require: undefined, module: object, ...string[], Give]) => Promise<void>;

/**
 * Runs what the compiler made of a file that imports nothing but the host's modules and Node's, each by its plain name, and
 * answers the module; undefined when the file asks for more, which takes the compiler's own loader. Throws what the file throws.
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

/** In a text these words mean nothing; the longer way does no harm then. The last one is how the compiler tells a mistake. */
function isPlain(code: string, offered: object): boolean {
  if (/\b(?:require|jitiESMResolve|__JITI_ERROR__)\b/.test(code)) return false;
  const literal = [...code.matchAll(/\bjitiImport\("([^"\\]+)"\)/g)].map(([, name = ""]) => name);
  const all = code.match(/\bjitiImport\b/g) ?? [];
  return literal.length === all.length && literal.every((name) => Object.hasOwn(offered, name) || isBuiltin(name));
}

/** On one line with the code, so that the lines of errors are those of the file. What cannot be read is told by the compiler. */
function functionOf(code: string, filename: string): Body | undefined {
  const wrapped = `(async function (exports, require, module, __filename, __dirname, jitiImport) { ${code}\n})`;
  try {
    return new Script(wrapped, { filename }).runInThisContext() as Body;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** As the compiler's loader hands modules over: marked as such, and with a default in any case. */
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
