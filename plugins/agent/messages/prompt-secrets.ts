import type { UserMessage } from "@scorel/messages/contract";
import { type Environment, redaction } from "../environment.ts";

const TOLD =
  "Your message held a key that Scorel knows. It was replaced by [redacted] before it was stored or sent, so the model does not see it.";

/** Replaces known secrets in a user's message, whatever its source, and warns the user when there were any. */
export function withoutSecrets<M extends Pick<UserMessage, "content">>({ ctx }: Environment, message: M): M {
  const { text } = redaction(ctx);
  let found = false;
  const clean = (given: string) => {
    const left = text(given);
    if (left !== given) found = true;
    return left;
  };
  const content =
    typeof message.content === "string"
      ? clean(message.content)
      : message.content.map((block) => (block.type === "text" ? { ...block, text: clean(block.text) } : block));
  if (!found) return message;
  ctx.ui.notify(TOLD, "warning");
  return { ...message, content };
}
