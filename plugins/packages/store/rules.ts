import type { Awaitable } from "@scorel/kernel";
import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";
import type { LockedPackage, PackageLock } from "../contract.ts";
import type { PackageKind } from "./kinds.ts";

/** A staged package. */
export interface StagedTree {
  tree: Tree;
  /** The name that it is to be installed under. */
  name: string;
  /** Its source, for messages. */
  spec: string;
  lock: PackageLock;
  /** The npm packages that it depends on. */
  packages: readonly LockedPackage[];
}

/** What packages of one kind have to contain, and what is shown before they are installed. */
export interface PackageRules {
  kind: PackageKind;
  /** The version of Scorel, which the range `engines.scorel` has to include. */
  version: string;
  /** Why no package may ever have this name, for example because Scorel itself uses it. */
  reserved(name: string): Awaitable<string | undefined>;
  /** Why a name is not free at the moment; called again right before the installation. */
  occupied(name: string): string | undefined;
  /** The name that a package declares in its code; undefined when it declares none. */
  nameIn(folder: string): Awaitable<string | undefined>;
  /** Throws when the package cannot be used. */
  check(staged: StagedTree): Awaitable<void>;
  /** Why the package might not work, although it can be installed. */
  doubts(staged: StagedTree): Awaitable<readonly string[]>;
  /** What the package contains and could do. */
  items(staged: StagedTree): Promise<TrustItem[]>;
}
