/** Providers with a subscription login, and whether they also take API keys. Data only. */
export const subscriptions: Readonly<Record<string, { keys: boolean }>> = {
  anthropic: { keys: true },
  "openai-codex": { keys: false },
  "github-copilot": { keys: false },
};

/** Milliseconds before expiry at which a token is renewed. */
const AHEAD = 60_000;

export function isDue({ expires }: { expires: number }): boolean {
  return expires - Date.now() < AHEAD;
}
