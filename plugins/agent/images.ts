import type {} from "@scorel/images/contract";
import type { BaseContext } from "@scorel/kernel";
import type { ImageBlock, TextBlock, UserMessage } from "@scorel/messages/contract";

type Content = (TextBlock | ImageBlock)[];

/** Asked first: what needs nothing goes its way without a pause, so that messages keep their order. */
export function isToFit(ctx: BaseContext, content: UserMessage["content"]): content is Content {
  return Array.isArray(content) && content.some((block) => block?.type === "image") && ctx.find("images") !== undefined;
}

/** Images as the model can take them, where a plugin sees to that: one it refuses would fail every later request. */
export async function fittedContent(ctx: BaseContext, content: Content, signal?: AbortSignal): Promise<Content> {
  return (await ctx.find("images")?.fit(content, signal)) ?? content;
}
