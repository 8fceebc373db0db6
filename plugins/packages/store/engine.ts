import { parseRange, parseVersion } from "@scorel/kit/text/version-range";
import { isTable } from "@scorel/kit/values/table";

/**
 * Why a package cannot run here, by `engines.scorel` and `engines.node` in the text of its package.json; undefined when it can.
 * A missing or invalid range excludes nothing, as in npm.
 */
export function engineFlaw(manifest: string | undefined, version: string): string | undefined {
  const engines = enginesIn(manifest ?? "{}");
  if (!isIn(engines.scorel, version)) return `it needs Scorel ${engines.scorel}, and this is ${version}`;
  const node = process.versions.node;
  return isIn(engines.node, node) ? undefined : `it needs Node.js ${engines.node}, and this is ${node}`;
}

/** Why `engines.scorel` cannot be read; undefined if it can, or is missing. Checked before an installation. */
export function rangeFlaw(manifest: string | undefined): string | undefined {
  const range = enginesIn(manifest ?? "{}").scorel;
  if (range === undefined || (typeof range === "string" && parseRange(range))) return undefined;
  return `"engines.scorel" in its package.json is ${JSON.stringify(range)}, which is not a range of versions such as ">=0.1.0"`;
}

function enginesIn(text: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(text);
    return isTable(manifest) && isTable(manifest.engines) ? manifest.engines : {};
  } catch {
    // An invalid package.json is refused when the package is fetched.
    return {};
  }
}

function isIn(range: unknown, version: string): boolean {
  const [contains, parsed] = [typeof range === "string" ? parseRange(range) : undefined, parseVersion(version)];
  return !contains || !parsed || contains(parsed);
}
