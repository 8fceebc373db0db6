/** Returns what to do when a server refuses the key; undefined for other statuses. */
export function adviceOnKey(status: number | undefined, provider: string, credential: string): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  if (credential === "subscription")
    return `The subscription was refused: does it include this model? If so, log in again: scorel login ${provider}`;
  if (credential === "stored key")
    return `The stored key was refused: is it the one for ${provider}, and still valid? To store another: scorel login ${provider}`;
  if (credential === "no key")
    return "No key was sent, and the server requires one: name the variable with the key as apiKeyEnv in [model].";
  return `The key in ${credential} was refused: is it the one for ${provider}, and still valid? Set ${credential} to one that is.`;
}
