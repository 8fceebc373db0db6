import type { UserMessage } from "@scorel/messages/contract";
import type { Environment } from "../environment.ts";
import { asStored } from "../messages/before-store.ts";
import { withoutSecrets } from "../messages/content.ts";

/** Prepares messages for the log. */
export class Cleaning {
  private readonly env: Environment;
  /** Settles when the layers of `beforeStore` have processed all messages so far. */
  private cleaned: Promise<unknown> = Promise.resolve();
  /** Number of characters of the messages that these layers have not processed yet. */
  unclean = 0;

  constructor(env: Environment) {
    this.env = env;
  }

  /** Removes known secrets from a message, and applies the layers of `beforeStore`. Messages keep their order. */
  clean(given: UserMessage): UserMessage | Promise<UserMessage> {
    const message = withoutSecrets(this.env, given);
    if (this.env.hooks.beforeStore.layers === 0) return message;
    const { length } = JSON.stringify(message);
    this.unclean += length;
    const cleaned = this.cleaned
      .then(() => asStored(this.env, message))
      .finally(() => {
        this.unclean -= length;
      });
    this.cleaned = cleaned.catch(() => {});
    return cleaned;
  }
}
