import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessageEventStream, AssistantMessage as PiAssistant } from "@mariozechner/pi-ai";
import type { ScorelMessage } from "@scorel/messages/contract";
import { toAgentMessages, toRequestMessages } from "../messages/convert.ts";
import { type LoopParts, replaceMessages } from "../pi-loop.ts";
import { Outlet } from "../reply/outlet.ts";
import type { SuspendedTurn } from "./suspended.ts";
import type { Turn } from "./turn.ts";

type Request = Pick<LoopParts, "conversation" | "request" | "stream" | "waiting">;

/**
 * Lets the loop begin with the stored reply of a suspended turn, as if the model had just sent it: the library then runs the calls that have
 * no result. No request is sent, no hook for requests is called, and waiting messages are delivered only before the next request.
 */
export function beginningWith(suspended: SuspendedTurn | undefined, turn: Turn, parts: Request): Request {
  if (!suspended) return parts;
  let stored: SuspendedTurn | undefined = suspended;
  return {
    async conversation(library) {
      if (!stored) return parts.conversation(library);
      const before = toRequestMessages(messagesBefore(turn, stored));
      replaceMessages(library, before);
      return before;
    },
    request: async (messages) => (stored ? { systemPrompt: "", messages: [] } : parts.request(messages)),
    stream(request) {
      if (!stored) return parts.stream(request);
      const message = replyOf(stored);
      stored = undefined;
      return streamOf(message);
    },
    waiting: async (resting) => (stored ? [] : parts.waiting(resting)),
  };
}

function messagesBefore({ env }: Turn, { reply }: SuspendedTurn): readonly ScorelMessage[] {
  return env.ctx.session.buildContext(reply.parentId);
}

/** The reply with only those calls that have not run yet. */
function replyOf({ reply, calls }: SuspendedTurn): PiAssistant {
  const [message] = toAgentMessages([reply.message]) as AgentMessage[] as [PiAssistant];
  const left = new Set(calls.map(({ id }) => id));
  return { ...message, content: message.content.filter((block) => block.type !== "toolCall" || left.has(block.id)) };
}

function streamOf(message: PiAssistant): AssistantMessageEventStream {
  const out = new Outlet(() => {});
  out.push({ type: "done", reason: "toolUse", message });
  return out as unknown as AssistantMessageEventStream;
}
