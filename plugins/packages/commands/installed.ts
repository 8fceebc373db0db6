import type { Invocation } from "@scorel/cli/contract";
import { changeLines } from "@scorel/kit/terminal/review";
import { visibleText } from "@scorel/kit/text/plain";
import type { InstalledPackage } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Installer } from "./installer.ts";

/** `scorel preset|plugin remove` */
export async function remove(installer: Installer, invocation: Invocation): Promise<number> {
  const { name } = await installed(installer, invocation.args[0] as string);
  await installer.store.remove(name);
  return say(invocation, `Removed "${name}".`);
}

/** `scorel preset|plugin diff`. Returns 1 when something differs. */
export async function diff(installer: Installer, invocation: Invocation): Promise<number> {
  const { name } = await installed(installer, invocation.args[0] as string);
  const changes = (await installer.store.diff(name)) ?? [];
  if (changes.length === 0) return say(invocation, `"${name}" is what was installed.`);
  say(invocation, `"${name}" differs from what was installed:`, ...changeLines(changes));
  return 1;
}

/** The installed package of this name; throws PACKAGES_UNKNOWN. */
export async function installed({ store, noun, command }: Installer, name: string): Promise<InstalledPackage> {
  const packages = await store.list();
  const found = packages.find((each) => each.name === name);
  if (!found) throw errors.PACKAGES_UNKNOWN({ noun, command, name, known: packages.map((each) => each.name) });
  return found;
}

/** Prints lines with control characters made visible, since file names are untrusted. Returns exit code 0. */
export function say({ stdout }: Pick<Invocation, "stdout">, ...lines: string[]): number {
  stdout.write(visibleText(lines.map((line) => `${line}\n`).join("")));
  return 0;
}
