import { FILES } from "./files.ts";
import { PACKAGES } from "./packages.ts";
import { SERVICES } from "./services.ts";
import type { Program } from "./table.ts";

/** Looks up a program's options by its base name. */
export function programOf(name: string): Program | undefined {
  const known = SAME.get(name) ?? name.replace(/^pip3(?:\.\d+)?$/, "pip");
  return [FILES, PACKAGES, SERVICES].find((table) => Object.hasOwn(table, known))?.[known];
}

const SAME = new Map([
  ["fdfind", "fd"],
  ["py.test", "pytest"],
]);
