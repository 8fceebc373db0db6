import type { InstalledPackage } from "@scorel/packages/contract";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding } from "./contract.ts";

/** Checks whether installed presets are unchanged since their installation. */
export async function checkPresets({ presetStore, home }: CheckContext): Promise<Part> {
  if (!presetStore || home === undefined) return { findings: [] };
  try {
    const installed = await presetStore.list();
    const presets = installed.map(({ name, state, source, installedAt }) => ({ name, state, source, installedAt }));
    return { presets, findings: presets.length === 0 ? [] : verdict(presets) };
  } catch (thrown) {
    return {
      findings: thrownFindings(thrown, "", "Remove that file, and install what you need again: scorel preset add"),
    };
  }
}

function verdict(presets: readonly Pick<InstalledPackage, "name" | "state">[]): Finding[] {
  const changed = presets.filter(({ state }) => state === "changed");
  if (changed.length === 0)
    return [
      {
        code: "PRESETS",
        severity: "ok",
        what: `${presets.length} installed presets are unchanged since they were installed.`,
        where: "",
        doNext: "",
      },
    ];
  return changed.map(({ name }) => ({
    code: "PRESET_CHANGED",
    severity: "error",
    what: `The preset "${name}" has changed since it was installed, so it is refused.`,
    where: name,
    doNext: `scorel preset diff ${name} shows what differs; scorel preset update ${name} installs it again.`,
  }));
}
