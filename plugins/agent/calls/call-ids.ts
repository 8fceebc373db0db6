import type { Message } from "@mariozechner/pi-ai";
import { newId } from "@scorel/kernel";

/** Assigns a unique, non-empty id to each tool call of one reply, keyed by the call's content index. */
export class CallIds {
  private readonly byIndex = new Map<number, string>();
  private readonly own = new Set<string>();
  private readonly takenBefore: () => ReadonlySet<string>;
  private before: ReadonlySet<string> | undefined;

  constructor(takenBefore: () => ReadonlySet<string>) {
    this.takenBefore = takenBefore;
  }

  of(index: number, given: string): string {
    let id = this.byIndex.get(index);
    if (id === undefined) {
      id = given === "" || this.isTaken(given) ? `call_${newId()}` : given;
      this.own.add(id);
      this.byIndex.set(index, id);
    }
    return id;
  }

  private isTaken(id: string): boolean {
    this.before ??= this.takenBefore();
    return this.own.has(id) || this.before.has(id);
  }
}

/**
 * Collects the ids of all tool calls in a conversation. When the conversation only grew, just the new messages are
 * read.
 */
export class ConversationIds {
  private messages: readonly Message[] = [];
  private ids = new Set<string>();

  of(messages: readonly Message[]): ReadonlySet<string> {
    const goesOn = this.messages.every((message, at) => message === messages[at]);
    if (!goesOn) this.ids = new Set();
    for (const message of goesOn ? messages.slice(this.messages.length) : messages) this.add(message);
    this.messages = messages;
    return this.ids;
  }

  private add({ role, content }: Message): void {
    if (role === "assistant") for (const block of content) if (block.type === "toolCall") this.ids.add(block.id);
  }
}
