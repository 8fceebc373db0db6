import type { Projections } from "../events/projections.ts";
import type { Registry } from "../events/registry.ts";
import type { LogImage, Opened, Problem } from "../store.ts";
import { Links } from "../tree/links.ts";
import type { Tree } from "../tree/tree.ts";
import type { Events } from "../types.ts";

/** Creates the image that a store may keep beside a closed log, and uses it at the next opening instead of linking all rows. */
export class Images {
  private readonly opened: Opened;
  private readonly tree: Tree;
  private readonly projections: Projections;
  private readonly registry: Registry;
  private captured: Pick<LogImage, "signatures" | "projections"> | undefined;

  constructor(opened: Opened, tree: Tree, projections: Projections, registry: Registry) {
    this.opened = opened;
    this.tree = tree;
    this.projections = projections;
    this.registry = registry;
  }

  /** Starts the tree from the stored image, if every event type is still defined by the same version of the same plugin. */
  take(): LogImage | undefined {
    const { ledger, image } = this.opened;
    const isCurrent = ledger.types.every((type, index) => image?.signatures[index] === this.registry.signature(type));
    if (image && !isCurrent) Links.forget(ledger, image);
    this.tree.begin(ledger, isCurrent ? image : undefined);
    if (!image || !isCurrent) return undefined;
    this.projections.restore(image.projections);
    return image;
  }

  /** Saves the projections and type signatures, before the plugins that define them are unloaded. */
  captureState(): void {
    this.captured ??= this.known();
  }

  make(): LogImage {
    return { rows: this.tree.size, ...this.tree.links.image(this.tree.activeLeaf), ...(this.captured ?? this.known()) };
  }

  private known(): Pick<LogImage, "signatures" | "projections"> {
    const signatures = this.opened.ledger.types.map((type) => this.registry.signature(type));
    return { signatures, projections: this.projections.image() };
  }
}

/** Losses that no `epoch` event has recorded yet. Each loss starts a new epoch once, so that clients do not resume from an old seq. */
export function lossIn(
  problems: readonly Problem[],
  tree: Tree,
): Pick<Events["epoch"], "reason" | "damage"> | undefined {
  const lost = problems.filter((problem) => problem.lost);
  if (lost.length === 0) return undefined;
  const known = new Set([...tree.ofType("epoch")].flatMap(({ damage }) => damage));
  if (lost.every((problem) => known.has(problem.offset))) return undefined;
  const reason = lost.map((problem) => `line ${problem.line}: ${problem.reason}`).join("; ");
  return { reason, damage: lost.map((problem) => problem.offset) };
}
