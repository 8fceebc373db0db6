/** A provider whose models a person may use by logging in at its own site. */
export interface SubscriptionOffer {
  /** What is subscribed to. */
  name: string;
  /** Keys serve this provider as well. */
  keys: boolean;
}

/** Whom one can log in to, by provider. Data only. */
export const subscriptions: Readonly<Record<string, SubscriptionOffer>> = {
  anthropic: { name: "Claude Pro or Max", keys: true },
  "openai-codex": { name: "ChatGPT Plus or Pro", keys: false },
  "github-copilot": { name: "GitHub Copilot", keys: false },
};

/** How long before its end a token is renewed, in milliseconds. */
const AHEAD = 60_000;

export function isDue({ expires }: { expires: number }): boolean {
  return expires - Date.now() < AHEAD;
}
