import type { ImageBlock, UserMessage } from "@scorel/messages/contract";

type Content = UserMessage["content"];

/** The text that a person has written, without the files that it mentions, which are stored with it. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" && !part.attachment ? part.text : "")).join("");
}

/** The pictures that a person has sent, without those that the text mentions as files. */
export function ownPictures(content: Content): ImageBlock[] {
  if (typeof content === "string") return [];
  return content.filter((part) => part.type === "image" && !part.attachment) as ImageBlock[];
}

/** The content of a user's message in an event. Undefined for events of another form. */
export function userContentOf(event: object): Content | undefined {
  const { role, content } = ((event as { message?: unknown }).message ?? {}) as { role?: unknown; content?: unknown };
  if (role !== "user") return undefined;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.filter(isPart) : undefined;
}

function isPart(part: unknown): part is Exclude<Content, string>[number] {
  const { type, text, data, mimeType } = (part ?? {}) as Record<string, unknown>;
  if (type === "text") return typeof text === "string";
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}
