import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { isWithin } from "@scorel/kit/files/paths";
import type { ExtensionsService } from "../contract.ts";
import { errors } from "../errors.ts";
import { assertNoLink, assertNoLinks } from "./no-links.ts";

const mark = "// Written by `scorel plugin types`; run it again when Scorel has moved.";

/** `plugin types`. Throws EXTENSIONS_TSCONFIG if the user already has a tsconfig.json, and EXTENSIONS_NO_TYPES. */
export async function writeTsconfig(extensions: ExtensionsService, invocation: Invocation): Promise<number> {
  const { args, options, cwd, stdout } = invocation;
  const known = args[0] ? undefined : await extensions.folder(options.global ? "user" : "project");
  if (known) assertNoLinks(known);
  const folder = known?.path ?? resolve(cwd, args[0] as string);
  const path = join(folder, "tsconfig.json");
  assertNoLink(path);
  const base = extensions.tsconfig;
  if (!existsSync(base)) throw errors.EXTENSIONS_NO_TYPES({ path: base });
  if (existsSync(path) && !readFileSync(path, "utf8").startsWith(mark))
    throw errors.EXTENSIONS_TSCONFIG({ path, base });
  makeFolder(folder, 0o755);
  writeFileSync(
    path,
    `${mark}\n${JSON.stringify({ extends: nameFrom(folder, base), include: ["**/*"], exclude: ["**/node_modules"] })}\n`,
  );
  stdout.write(`Wrote ${path}. Editors now know the files next to it; tsc --project ${folder} checks them.\n`);
  if (known && !options.global)
    stdout.write("If you trust the project, it has changed now: scorel trust add shows the change, and accepts it.\n");
  return 0;
}

/** A relative path if Scorel is installed in the folder's project, so that the tsconfig.json can be committed; else an absolute one. */
function nameFrom(folder: string, base: string): string {
  const modules = base.lastIndexOf("/node_modules/");
  return modules > 0 && isWithin(base.slice(0, modules), folder) ? relative(folder, base) : base;
}
