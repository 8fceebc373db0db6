import history from "@scorel/history";
import type { SessionHandle } from "@scorel/host/contract";
import { definePlugin, type EventId, type Session } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import { z } from "zod";
import { ask, assistant, echoAgent, type TestHome, type TestHost, testHome, testHost } from "../host/home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    hand_over: { params: { sessionId: string }; result: SessionHandle };
  }
}

/** Gives tests access to an open session, so that they can write events that no plugin here would write. */
export const hand = definePlugin({
  id: "hand",
  name: "Hand",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    hand_over: {
      params: z.strictObject({ sessionId: z.string() }),
      run: ({ sessionId }, { open }) => open(sessionId),
    },
  }),
});

/** A session with an echoing agent and the plugin under test. */
export interface Desk extends AsyncDisposable, Pick<TestHost, "client" | "host"> {
  home: TestHome;
  sessionId: string;
  session: Session;
  /** Sends a message and waits for the reply; returns the id of the leaf after it. */
  say(text: string): Promise<EventId>;
  write(message: Partial<ScorelMessage> & Pick<ScorelMessage, "role">): Promise<EventId>;
  /** The texts of the messages, in the order in which a model reads them. */
  spoken(): string[];
}

export async function desk(plugins = [echoAgent]): Promise<Desk> {
  const home = testHome();
  const t = await testHost(plugins, [], [history, hand]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const { session } = (await t.client.request("hand_over", { sessionId })).kernel;
  return {
    ...t,
    home,
    sessionId,
    session,
    say: async (text) => {
      await ask(t.client, sessionId, text);
      return session.activeLeaf as EventId;
    },
    write: async (message) => (await session.append("message", { message: filled(message) })).id,
    spoken: () => session.buildContext().map(wordsOf),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** The text of a message, with the names of its tool calls. */
export function wordsOf({ content }: ScorelMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "toolCall" ? `${block.name}()` : ""))
    .join(" ");
}

export const call = (id: string, name = "Look") => ({ type: "toolCall" as const, id, name, arguments: {} });

export const result = (toolCallId: string, text = "seen"): Partial<ScorelMessage> & { role: "tool_result" } => ({
  role: "tool_result",
  toolCallId,
  toolName: "Look",
  content: [{ type: "text", text }],
  isError: false,
});

function filled(message: Partial<ScorelMessage> & Pick<ScorelMessage, "role">): ScorelMessage {
  return (message.role === "assistant" ? { ...assistant, ...message } : { timestamp: 1, ...message }) as ScorelMessage;
}
