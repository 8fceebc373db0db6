/** A plugin's tool, command or other named contribution, whose name several plugins may use. */
export interface Claim {
  plugin: string;
  name: string;
  /** The plugin declares that its contribution replaces one of another plugin. */
  replaces: boolean;
  /** The user's configuration says that the last contribution with this name is used. */
  preferred?: boolean;
  /** Reports to the plugin that its contribution is left out. */
  report(flaw: Error): void;
}

/** Two plugins contribute something with the same name. That of `plugin` is left out, that of `owner` is used. */
export interface Clash {
  plugin: string;
  name: string;
  owner: string;
  /** Both plugins declare that they replace the other's, so that of the later plugin is used. */
  both: boolean;
}

/**
 * Decides which plugin's contribution with a name is used: the first one, unless another replaces it; if several do, the last of them. A
 * plugin whose contribution is left out without being replaced on purpose gets the error that `flaw` creates.
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

/** Describes which contribution is left out because of a clash, why, and how to resolve it. `what` names it: `The tool "Weather"`. */
export function clashText(what: string, { plugin, name, owner, both }: Clash, otherwise = ""): string {
  const lost = `${what} of plugin "${plugin}" is left out:`;
  if (owner === plugin)
    return `${lost} the plugin contributes it twice, and the first one is used. Remove one of them.`;
  if (both)
    return `${lost} plugin "${owner}", which loads later, replaces it, too. Remove "${name}" from \`replaces\` of one of them.`;
  return `${lost} plugin "${owner}", which loads earlier, has one of that name. Rename it, or set \`replaces: ["${name}"]\` in plugin "${plugin}" to use it instead${otherwise}.`;
}
