interface Block {
  type: string;
  text?: string;
  attachment?: true;
}

/** A message's content as its author typed it, without the files that were attached because the text mentions them. */
export function typedContent<B extends { type: string }>(content: string | B[]): string | B[] {
  if (typeof content === "string" || !content.some(isAttachment)) return content;
  const typed = content.filter((block) => !isAttachment(block));
  const [only] = typed as Block[];
  return typed.length === 1 && only?.type === "text" ? (only.text ?? "") : typed;
}

function isAttachment(block: Block): boolean {
  return block.attachment === true;
}
