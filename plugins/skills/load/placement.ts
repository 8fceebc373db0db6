import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { Session } from "@scorel/kernel";
import type { LoadedSkill } from "../contract.ts";
import { contentsOf } from "../events.ts";
import { blockOf, blocksOf, byName, CONTEXT, type ContentOf } from "./blocks.ts";
import type { Skills } from "./skills.ts";

type ToolResult = Extract<AgentMessage, { role: "toolResult" }>;

const TOOLS = ["skill_load", "skill_select_docs"];

/** Puts loaded texts into this request only: at the end of the system prompt, or into the latest result that loaded them. */
export function place(
  skills: Skills,
  messages: AgentMessage[],
  loaded: readonly LoadedSkill[],
  session: Session,
): AgentMessage[] {
  const textOf = contentsOf({ get: (id) => session.tree.get(id) });
  const all = byName(loaded);
  if (skills.placement === "system") {
    skills.system = blocksOf(all, textOf);
    return messages;
  }
  const places = latestResults(messages);
  const elsewhere = all.filter(({ name }) => !places.has(name));
  skills.system = elsewhere.length === 0 ? "" : `${CONTEXT}\n${blocksOf(elsewhere, textOf)}`;
  const blocks = new Map(all.flatMap((skill) => [[places.get(skill.name), skill] as const]));
  return messages.map((message) => {
    const skill = blocks.get(message as ToolResult);
    return skill ? withBlock(message as ToolResult, skill, textOf) : message;
  });
}

/** Maps each skill to the last successful result that loaded it or its docs. */
function latestResults(messages: readonly AgentMessage[]): Map<string, ToolResult> {
  const names = new Map<string, string>();
  const places = new Map<string, ToolResult>();
  for (const message of messages) {
    if (message.role === "assistant")
      for (const block of message.content)
        if (block.type === "toolCall" && TOOLS.includes(block.name)) names.set(block.id, nameIn(block.arguments));
    if (message.role !== "toolResult" || !TOOLS.includes(message.toolName) || message.isError) continue;
    const name = names.get(message.toolCallId);
    if (name !== undefined) places.set(name, message);
  }
  return places;
}

function nameIn(args: unknown): string {
  return String((args as { skill?: unknown } | null)?.skill ?? "").trim();
}

/** Replaces the stub in a result with the loaded text, and keeps any other text before it. */
function withBlock(message: ToolResult, skill: LoadedSkill, textOf: ContentOf): ToolResult {
  const [first, ...merged] = message.content;
  const said = first?.type === "text" ? first.text : "";
  const rest = said.replace(new RegExp(`^loaded: ${escaped(skill.name)}(?:\\n|$)`, "i"), "").trim();
  const text = [rest, blockOf(skill, textOf)].filter((part) => part !== "").join("\n\n");
  return { ...message, content: [{ type: "text", text }, ...merged] };
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
