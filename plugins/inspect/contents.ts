import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionFile, FoundExtensions } from "@scorel/extensions/contract";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { Composed } from "./contract.ts";

type Shipped = NonNullable<Composed["ships"]>[number];

/** The contents of preset folders: extensions, each with the reason if it is not loaded, instructions and skills. */
export function contentsOf(packages: readonly PresetPackage[], { found, off }: Extensions): Shipped[] {
  return packages.flatMap((pack) => [
    ...[...found.extensions, ...found.shadowed]
      .filter(({ of, within }) => of === "preset" && within === pack.root)
      .map((file) => extensionOf(file, { found, off })),
    ...found.problems
      .filter(({ origin }) => origin.startsWith(join(pack.folder, "extensions")))
      .map(({ origin, message }) => ({ kind: "extension" as const, name: "?", origin, unused: message })),
    ...namesIn(join(pack.root, "instructions"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => ({ kind: "instructions" as const, name, origin: join(pack.folder, "instructions", name) })),
    ...namesIn(join(pack.root, "skills"))
      .map((name) => ({ name, file: join("skills", name, "SKILL.md") }))
      .filter(({ file }) => existsSync(join(pack.root, file)))
      .map(({ name, file }) => ({ kind: "skill" as const, name, origin: join(pack.folder, file) })),
  ]);
}

interface Extensions {
  found: Pick<FoundExtensions, "extensions" | "shadowed" | "problems">;
  /** Ids that are switched off -> `file:line` of the entry. */
  off: ReadonlyMap<string, string>;
}

function extensionOf(file: ExtensionFile, { found, off }: Extensions): Shipped {
  const { id: name, path: origin } = file;
  const winner = found.extensions.find(({ id }) => id === name);
  const place = off.get(name);
  const reason = winner !== file ? `${winner?.path} has the same id` : place && `switched off in ${place}`;
  return { kind: "extension", name, origin, ...(reason && { unused: reason }) };
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).sort() : [];
}
