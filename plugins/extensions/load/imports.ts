import { existsSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "@scorel/kit/files/paths";
import { withoutComments } from "../checks/members.ts";
import type { ExtensionFile } from "../contract.ts";
import { errors } from "../errors.ts";
import { virtualNames } from "./virtual-modules.ts";

const specifier = /\b(?:from|import|require)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1/g;
/** An import or export of types only, which no longer exists when the file runs. `import type from "x"` is a value. */
const typesOnly =
  /\b(?:import|export)\s+type\s*(?:\{[\w$\s,]*\}|\*(?:\s*as\s+[\w$]+)?|\s[\w$]+(?=\s+from\b))\s*from\s*(["'`])[^"'`\n]+\1/g;
/** A comment between an import and the name of the module. */
const commented = /\b(?:from|import|require)\s*\(?\s*\/[/*]/;
const endings = ["", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".tsx", ".jsx", ".json"];

/**
 * Throws EXTENSION_OUTSIDE when an extension of a project or preset, or a file that it imports, imports a file outside of
 * `root`, which the user has not trusted. Imports with a computed name are not found.
 */
export function assertInside(extension: ExtensionFile, root: string): void {
  for (const { where, wanted } of outsideImports(extension, root))
    throw errors.EXTENSION_OUTSIDE({ id: extension.id, where, wanted, of: extension.of });
}

/** Every import of a file outside of `root`, with its `file:line`. */
export function outsideImports(extension: ExtensionFile, root: string): { where: string; wanted: string }[] {
  const outside: { where: string; wanted: string }[] = [];
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, "utf8");
    // Most files import only offered modules; then the slower search, which reads comments, is not needed.
    const named = Array.from(source.matchAll(specifier), ([, , wanted = ""]) => wanted);
    if (named.every(isOffered) && !commented.test(source)) return;
    for (const { wanted, line } of importsIn(source)) {
      const found = resolveInside(wanted, file, root);
      if (found === undefined) {
        const where = `${join(dirname(extension.path), relative(dirname(extension.file), file))}:${line}`;
        outside.push({ where, wanted });
      } else if (found !== "") visit(found);
    }
  };
  visit(extension.file);
  return outside;
}

/** Code without imports of types. Its lines keep their numbers. It must have no comments, which could pretend to be such an import. */
function withoutTypes(code: string): string {
  return code.replace(typesOnly, (statement) => "\n".repeat(statement.split("\n").length - 1));
}

/** The imports of a source, with their lines. An import may stand after a comment in its line, and continue in the next line. */
function importsIn(source: string): { wanted: string; line: number }[] {
  const code = withoutTypes(withoutComments(source));
  let [line, counted] = [1, 0];
  return [...code.matchAll(specifier)].map(({ index, 2: wanted = "" }) => {
    for (; counted < index; counted++) if (code[counted] === "\n") line++;
    return { wanted, line };
  });
}

/** The imported file, to be checked next: "" if there is nothing to check, undefined if the file is outside of `root`. */
function resolveInside(wanted: string, from: string, root: string): string | undefined {
  if (isOffered(wanted)) return "";
  const path = wanted.startsWith("file:") ? fileURLToPath(wanted) : wanted;
  if (!path.startsWith(".") && !isAbsolute(path)) return isInstalled(path, from, root) ? "" : undefined;
  const target = resolve(dirname(from), path);
  if (!isWithin(root, target)) return undefined;
  return helperAt(target) ?? "";
}

const offered = new Set<string>([...builtinModules, ...virtualNames]);

function isOffered(wanted: string): boolean {
  return wanted.startsWith("node:") || offered.has(wanted);
}

/** Whether a package is installed inside of `root`, so that it is covered by the trust in `root`. */
function isInstalled(name: string, from: string, root: string): boolean {
  const [scope = "", second = ""] = name.split("/");
  const folder = scope.startsWith("@") ? join(scope, second) : scope;
  for (let dir = dirname(from); isWithin(root, dir); dir = dirname(dir))
    if (existsSync(join(dir, "node_modules", folder))) return true;
  return false;
}

/** The file that an import path refers to; `./helper.js` may be helper.ts. */
function helperAt(target: string): string | undefined {
  const stem = extname(target) === "" ? target : target.slice(0, -extname(target).length);
  const names = [target, ...endings.map((ending) => target + ending), ...endings.map((ending) => stem + ending)];
  const inFolder = endings.map((ending) => join(target, `index${ending}`));
  return [...names, ...inFolder].find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
}
