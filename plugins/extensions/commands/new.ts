import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, parse, relative } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import type { ExtensionFolder, ExtensionsService } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Kind } from "./kinds.ts";
import { assertNoLinks } from "./no-links.ts";
import { templates } from "./templates.ts";

/** `plugin new`: creates a folder with an extension and its test. Throws EXTENSIONS_NAME and EXTENSIONS_EXISTS. */
export async function begin(extensions: ExtensionsService, invocation: Invocation): Promise<number> {
  const { args, options, stdout } = invocation;
  const id = args[0] as string;
  const of = options.global ? "user" : "project";
  await assertName(extensions, id, of);
  const folder = await extensions.folder(of);
  assertNoLinks(folder);
  assertFree(folder.path, id);
  const place = join(folder.path, id);
  makeFolders(place);
  const { source, test, use } = templates[options.kind as Kind](id);
  writeNew(join(place, "index.mjs"), source);
  writeNew(join(place, "index.test.mjs"), test);
  stdout.write(told(invocation, folder, place, use));
  return 0;
}

async function assertName(extensions: ExtensionsService, name: string, of: ExtensionFolder["of"]): Promise<void> {
  const isName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
  const reason = isName ? await extensions.taken(name, of) : "it takes lower-case letters, digits and single hyphens";
  if (reason) throw errors.EXTENSIONS_NAME({ name, reason });
}

/** Throws if a file or folder with this id exists, with any extension: if two had the same id, neither would be loaded. */
function assertFree(folder: string, id: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const taken = names.find((name) => name === id || parse(name).name === id);
  if (taken !== undefined) throw errors.EXTENSIONS_EXISTS({ path: join(folder, taken) });
}

/** Creates the missing folders so that other users cannot write to them, whatever the umask is. */
function makeFolders(place: string): void {
  const missing: string[] = [];
  for (let path = place; !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) mkdirSync(path, { mode: 0o755 });
}

function writeNew(path: string, text: string): void {
  writeFileSync(path, text, { flag: "wx", mode: 0o644 });
}

function told({ cwd }: Invocation, { of }: ExtensionFolder, place: string, use: string): string {
  const inProject = of === "project";
  const shown = inProject ? relative(cwd, place) || "." : place;
  return [
    `Wrote ${join(shown, "index.mjs")} and its test.`,
    `Test it:  scorel${inProject ? " --trust" : ""} plugin test ${shown}`,
    `Use it:   scorel${inProject ? " --trust" : ""}${use}`,
    ...(inProject
      ? ["A project's extensions are read when you trust it: --trust does for one run, scorel trust add keeps it."]
      : []),
    "",
  ].join("\n");
}
