/** A failure of a plugin, as the kernel reports it. */
interface PluginFailure {
  plugin: string;
  /** The function or place that failed. Empty if the message is complete without it. */
  where: string;
  message: string;
  /** The place in the plugin's files: `file:line`, or only the file. */
  at?: string | undefined;
}

/** Describes a plugin's failure in one line. Events and notices have the same text, so that each failure is shown only once. */
export function failureText({ plugin, where, message, at }: PluginFailure): string {
  const place = at === undefined ? "" : ` (${at})`;
  if (where !== "") return `Plugin "${plugin}" failed in ${where}: ${message}${place}`;
  // The message of a built-in plugin is complete without the plugin's name.
  return at === undefined ? message : `Plugin "${plugin}": ${message}${place}`;
}
