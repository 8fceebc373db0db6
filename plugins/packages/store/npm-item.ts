import type { TrustItem } from "@scorel/trust/contract";
import type { LockedPackage } from "../contract.ts";

const NAMED = 10;

/** One item for all npm packages that a package depends on; empty when there are none. */
export function npmItem(packages: readonly LockedPackage[]): TrustItem[] {
  if (packages.length === 0) return [];
  const names = packages.map(({ name, version }) => `${name} ${version}`);
  const count = `${packages.length} npm package${packages.length === 1 ? "" : "s"}`;
  return [{ kind: "code", what: `${count}: ${listed(names)}`, place: "node_modules" }];
}

/** The first names of a list, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
