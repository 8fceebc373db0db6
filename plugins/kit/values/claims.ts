/** A plugin's tool, command or other thing with a name that several plugins may use. */
export interface Claim {
  plugin: string;
  name: string;
  /** The plugin says that its own is used instead of another plugin's. */
  replaces: boolean;
}

/**
 * Decides which plugin's thing of a name is used: the first, unless a later one says that it replaces it. Returns the plugin
 * that keeps the name, if the claim is refused, and records it otherwise.
 */
export function claim<C extends Claim>(owners: Map<string, C>, claimed: C): string | undefined {
  const owner = owners.get(claimed.name)?.plugin;
  if (owner !== undefined && (owner === claimed.plugin || !claimed.replaces)) return owner;
  owners.set(claimed.name, claimed);
  return undefined;
}
