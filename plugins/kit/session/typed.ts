interface Block {
  type: string;
  text?: string;
  attachment?: true;
  forPeople?: string;
}

/**
 * A message's content as its author typed it, without the files that were attached because the text mentions them. Text for the model that
 * has a form for people appears in that form, on a line of its own.
 */
export function typedContent<B extends { type: string }>(content: string | B[]): string | B[] {
  if (typeof content === "string" || !content.some(isAttachment)) return content;
  const typed = content.flatMap((block: B & Block, at) => {
    if (!isAttachment(block)) return [block];
    if (block.forPeople === undefined) return [];
    return [{ type: "text", text: `${at === 0 ? "" : "\n"}${block.forPeople}` } as unknown as B];
  });
  const [only] = typed as Block[];
  return typed.length === 1 && only?.type === "text" ? (only.text ?? "") : typed;
}

function isAttachment(block: Block): boolean {
  return block.attachment === true;
}
