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

/** The mark in a message's text for a picture that is shown beside it. */
const PICTURE_MARK = "[image]";

/** Text without the marks of pictures at its end. Takes linear time, also for very many blanks. */
export function withoutPictureMarks(text: string): string {
  let end = text.length;
  while (text.endsWith(PICTURE_MARK, end)) end -= PICTURE_MARK.length;
  return end < text.length ? text.slice(0, end).trimEnd() : text;
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
