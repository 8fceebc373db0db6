/** A plugin's tool, command or other thing with a name that several plugins may use. */
export interface Claim {
  plugin: string;
  name: string;
  /** The plugin says that its own is used instead of another plugin's. */
  replaces: boolean;
  /** The user's configuration says that the last one of this name is used. */
  preferred?: boolean;
  /** Reports to the plugin that its own is left out. */
  report(flaw: Error): void;
}

/** Two plugins with a thing of one name: `plugin` is the one whose own is left out. */
export interface Clash {
  plugin: string;
  name: string;
  owner: string;
  /** Both say that theirs replaces the other's, so the later one is used. */
  both: boolean;
}

/**
 * Decides which plugin's thing of a name is used: the first, unless another one says that it replaces it; of several that say so, the
 * last. Whoever loses its place without being replaced on purpose is told with what `flaw` makes of the clash.
 */
export function claim<C extends Claim>(owners: Map<string, C>, claimed: C, flaw: (clash: Clash) => Error): void {
  const known = owners.get(claimed.name);
  const takes = known?.plugin !== claimed.plugin && (claimed.replaces || claimed.preferred === true);
  if (!known || takes) owners.set(claimed.name, claimed);
  if (!known) return;
  const both = takes && known.replaces && claimed.replaces && claimed.preferred !== true;
  const [loser, owner] = takes ? [known, claimed] : [claimed, known];
  const isMeant = known.plugin !== claimed.plugin && owner.replaces && !loser.replaces;
  if (both || (!takes && !isMeant))
    loser.report(flaw({ plugin: loser.plugin, name: claimed.name, owner: owner.plugin, both }));
}

/** What is left out because of a clash, why, and how to settle it. `what` names it: `The tool "Weather"`. */
export function clashText(what: string, { plugin, name, owner, both }: Clash, otherwise = ""): string {
  const lost = `${what} of plugin "${plugin}" is left out:`;
  if (owner === plugin)
    return `${lost} the plugin contributes it twice, and the first one is used. Remove one of them.`;
  if (both)
    return `${lost} plugin "${owner}", which loads later, replaces it, too. Remove "${name}" from \`replaces\` of one of them.`;
  return `${lost} plugin "${owner}", which loads earlier, has one of that name. Rename it, or set \`replaces: ["${name}"]\` in plugin "${plugin}" to use it instead${otherwise}.`;
}
