/** A text of a plugin. `shipped` is set if the plugin comes with Scorel. */
export interface PluginText {
  plugin: string;
  text: string;
  shipped?: true;
}

/**
 * The text, after the plugin's id if the plugin is a user's extension: people must see whose words they read. They do not know the ids
 * of shipped plugins.
 */
export function attributed({ plugin, text, shipped }: PluginText): string {
  return shipped ? text : `${plugin}: ${text}`;
}
