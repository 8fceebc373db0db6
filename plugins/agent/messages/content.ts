import type {} from "@scorel/images/contract";
import type { BaseContext } from "@scorel/kernel";
import type { ImageBlock, TextBlock, UserMessage } from "@scorel/messages/contract";
import { type Environment, redaction } from "../environment.ts";

type Content = (TextBlock | ImageBlock)[];

/** Whether the content has images that must be fitted. Synchronous, so that messages without images keep their order. */
export function isToFit(ctx: BaseContext, content: UserMessage["content"]): content is Content {
  return Array.isArray(content) && content.some((block) => block?.type === "image") && ctx.find("images") !== undefined;
}

/**
 * Fits images to the model's limits if the `images` plugin is loaded. An image that the provider refuses would fail
 * every later request.
 */
export async function fittedContent(ctx: BaseContext, content: Content, signal?: AbortSignal): Promise<Content> {
  return (await ctx.find("images")?.fit(content, signal)) ?? content;
}

const TOLD =
  "Your message held a key that Scorel knows. It was replaced by [redacted] before it was stored or sent, so the model does not see it.";

/** Replaces known secrets in a user's message, and warns the user if there were any. */
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
