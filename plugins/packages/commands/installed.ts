import type { Invocation } from "@scorel/cli/contract";
import { changeLines } from "@scorel/kit/terminal/review";
import { visibleText } from "@scorel/kit/text/plain";
import type { InstalledPreset, PresetStore } from "../contract.ts";
import { errors } from "../errors.ts";

/** `scorel preset remove` */
export async function remove(store: PresetStore, invocation: Invocation): Promise<number> {
  const { name } = await installed(store, invocation.args[0] as string);
  await store.remove(name);
  return say(invocation, `Removed "${name}".`);
}

/** `scorel preset diff`. Returns 1 when something differs. */
export async function diff(store: PresetStore, invocation: Invocation): Promise<number> {
  const { name } = await installed(store, invocation.args[0] as string);
  const changes = (await store.diff(name)) ?? [];
  if (changes.length === 0) return say(invocation, `"${name}" is what was installed.`);
  say(invocation, `"${name}" differs from what was installed:`, ...changeLines(changes));
  return 1;
}

/** The installed preset of this name; throws PACKAGES_UNKNOWN. */
export async function installed(store: PresetStore, name: string): Promise<InstalledPreset> {
  const presets = await store.list();
  const found = presets.find((preset) => preset.name === name);
  if (!found) throw errors.PACKAGES_UNKNOWN({ name, known: presets.map((preset) => preset.name) });
  return found;
}

/** File names are untrusted text. */
export function say({ stdout }: Pick<Invocation, "stdout">, ...lines: string[]): number {
  stdout.write(visibleText(lines.map((line) => `${line}\n`).join("")));
  return 0;
}
