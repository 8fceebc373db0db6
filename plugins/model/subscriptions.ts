/** Whom a subscriber can log in to, by provider, and whether keys serve there as well. Data only. */
export const subscriptions: Readonly<Record<string, { keys: boolean }>> = {
  anthropic: { keys: true },
  "openai-codex": { keys: false },
  "github-copilot": { keys: false },
};

/** How long before its end a token is renewed, in milliseconds. */
const AHEAD = 60_000;

export function isDue({ expires }: { expires: number }): boolean {
  return expires - Date.now() < AHEAD;
}
