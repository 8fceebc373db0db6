import type { EventOf, StoredEvent } from "@scorel/kernel";
import type { Skills } from "./skills.ts";

/** How a message names a skill. */
const MARK = /\$|\/skill:/;

/** The messages of people that came to the path since it was last looked at and may name a skill, in order. */
export function newWords(skills: Skills): string[] {
  const { session } = skills.ctx;
  const texts: string[] = [];
  const leaf = at(skills, session.activeLeaf);
  for (let event = leaf; event && event.seq > skills.readTo; event = session.tree.parent(event.id)) {
    const message = event.type === "message" ? (event as EventOf<"message">).message : undefined;
    const words = message?.role === "user" ? wordsOf(message.content) : "";
    if (MARK.test(words)) texts.push(words);
  }
  skills.readTo = Math.max(skills.readTo, leaf?.seq ?? 0);
  return texts.reverse();
}

function at({ ctx }: Skills, id: string | null): StoredEvent | undefined {
  return id === null ? undefined : ctx.session.tree.get(id);
}

function wordsOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map(({ text }) => text ?? "").join("\n");
}
