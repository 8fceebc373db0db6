/** Milliseconds for which a new tab waits for the token of another one. */
const WAIT_MS = 500;

/**
 * The channel on which tabs ask for the token and answer. Only pages of the same origin can use it, and nothing is stored. Contains the path,
 * since a proxy may serve several hosts below paths of one origin.
 */
function tokenChannel(): BroadcastChannel {
  return new BroadcastChannel(`scorel.token ${location.pathname}`);
}

/** Asks the open tabs for their token. Undefined if none answers soon. */
export function askTabs(): Promise<string | undefined> {
  const channel = tokenChannel();
  return new Promise<string | undefined>((resolve) => {
    setTimeout(() => resolve(undefined), WAIT_MS);
    channel.onmessage = ({ data }) => typeof data?.token === "string" && resolve(data.token);
    channel.postMessage({ asks: true });
  }).finally(() => channel.close());
}

/** Answers new tabs with the token that `token` returns, if any. Returns how to stop. */
export function answerTabs(token: () => string | undefined): () => void {
  const channel = tokenChannel();
  channel.onmessage = ({ data }) => {
    const known = data?.asks === true ? token() : undefined;
    if (known !== undefined) channel.postMessage({ token: known });
  };
  return () => channel.close();
}
