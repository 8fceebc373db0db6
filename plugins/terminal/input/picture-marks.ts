import type { QueuedMessage } from "@scorel/host/contract";
import type { Attachment } from "../parts.ts";

/** The marks of pasted and dropped pictures. */
const MARK = /\[image [^\]\n]+\]/g;

/** A text with the pictures whose marks it contains. */
export interface Illustrated {
  text: string;
  attachments: readonly Attachment[];
}

/** The first mark for a pasted picture, from this number on, that is not in the text. */
export function freeMark(text: string, from = 1): string {
  const marks = new Set(text.match(MARK));
  let number = from;
  while (marks.has(`[image #${number}]`)) number++;
  return `[image #${number}]`;
}

/**
 * The text and the pictures of a message, to be edited in the field. The marks in the text stand for the pictures in their order. If there
 * are more or fewer marks than pictures, for example because only the words were replaced, a new mark for each picture is appended.
 */
export function illustrated({ content }: Pick<QueuedMessage, "content">): Illustrated {
  if (typeof content === "string") return { text: content, attachments: [] };
  const words = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = content.flatMap((block) => (block.type === "image" ? [Buffer.from(block.data, "base64")] : []));
  const used = [...new Set(words.match(MARK))];
  const isComplete = used.length === images.length;
  const attachments: Attachment[] = [];
  let text = words;
  for (const [at, image] of images.entries()) {
    const mark = (isComplete && used[at]) || freeMark(text);
    if (!isComplete) text = text === "" ? mark : `${text} ${mark}`;
    attachments.push({ mark, image });
  }
  return { text, attachments };
}
