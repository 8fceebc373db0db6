import type {} from "@scorel/images/contract";
import type { BaseContext } from "@scorel/kernel";
import type { ImageBlock, TextBlock, UserMessage } from "@scorel/messages/contract";

type Content = (TextBlock | ImageBlock)[];

/** True when there are images to fit. Synchronous, so that messages without images keep their order. */
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
