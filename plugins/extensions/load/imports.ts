import { existsSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "@scorel/kit/files/paths";
import type { ExtensionFile } from "../contract.ts";
import { errors } from "../errors.ts";
import { virtualNames } from "./virtual-modules.ts";

const specifier = /\b(?:from|import|require)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;
const comment = /^\s*(?:\/\/|\*|\/\*)/;
const endings = ["", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".tsx", ".jsx", ".json"];

/**
 * Throws EXTENSION_OUTSIDE when an extension of a project or of a preset, or a helper of it, imports what is not below
 * `root`: the user has not trusted those files. Imports with a computed name cannot be seen here.
 */
export function assertInside(extension: ExtensionFile, root: string): void {
  for (const { where, wanted } of strangeImports(extension, root))
    throw errors.EXTENSION_OUTSIDE({ id: extension.id, where, wanted, of: extension.of });
}

/** Every import of something outside of `root`, with `file:line`. */
export function strangeImports(extension: ExtensionFile, root: string): { where: string; wanted: string }[] {
  const strange: { where: string; wanted: string }[] = [];
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, "utf8");
    // Most files import nothing else, and then the line numbers need not be found.
    if (Array.from(source.matchAll(specifier), ([, , wanted = ""]) => wanted).every(isOffered)) return;
    for (const { wanted, line } of importsIn(source)) {
      const found = resolveInside(wanted, file, root);
      if (found === undefined) {
        const where = `${join(dirname(extension.path), relative(dirname(extension.file), file))}:${line}`;
        strange.push({ where, wanted });
      } else if (found !== "") visit(found);
    }
  };
  visit(extension.file);
  return strange;
}

function importsIn(source: string): { wanted: string; line: number }[] {
  return source.split("\n").flatMap((text, index) => {
    if (comment.test(text)) return [];
    return [...text.matchAll(specifier)].map(([, , wanted = ""]) => ({ wanted, line: index + 1 }));
  });
}

/** The file to look into next; empty when there is none, undefined when the import leads out of `root`. */
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

/** A package inside of `root` was trusted with it. */
function isInstalled(name: string, from: string, root: string): boolean {
  const [scope = "", second = ""] = name.split("/");
  const folder = scope.startsWith("@") ? join(scope, second) : scope;
  for (let dir = dirname(from); isWithin(root, dir); dir = dirname(dir))
    if (existsSync(join(dir, "node_modules", folder))) return true;
  return false;
}

/** The file that an import finds: `./helper.js` may be helper.ts. */
function helperAt(target: string): string | undefined {
  const stem = extname(target) === "" ? target : target.slice(0, -extname(target).length);
  const names = [target, ...endings.map((ending) => target + ending), ...endings.map((ending) => stem + ending)];
  const inFolder = endings.map((ending) => join(target, `index${ending}`));
  return [...names, ...inFolder].find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
}
