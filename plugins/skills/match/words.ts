import { isEvent, type StoredEvent } from "@scorel/kernel";
import type { Skills } from "../load/skills.ts";

/** The marks by which a message names a skill. */
const MARK = /\$|\/skill:/;

/** New messages on the path that may name a skill, in order; later calls skip them. */
export function newWords(skills: Skills): string[] {
  const texts = unreadTexts(skills).filter((text) => MARK.test(text));
  skills.readTo = Math.max(skills.readTo, at(skills, skills.ctx.session.activeLeaf)?.seq ?? 0);
  return texts;
}

/** New messages that people have written on the path, in order. */
export function unreadTexts(skills: Skills): string[] {
  const { session } = skills.ctx;
  const texts: string[] = [];
  const leaf = at(skills, session.activeLeaf);
  for (let event = leaf; event && event.seq > skills.readTo; event = session.tree.parent(event.id)) {
    const message = isEvent(event, "message") ? event.message : undefined;
    if (message?.role === "user" && message.meta?.literal !== true) texts.push(wordsOf(message.content));
  }
  return texts.reverse();
}

function at({ ctx }: Skills, id: string | null): StoredEvent | undefined {
  return id === null ? undefined : ctx.session.tree.get(id);
}

/** The first text of a message: further texts are attached files, or were not written by the user. */
function wordsOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.find(({ type }) => type === "text")?.text ?? "";
}
