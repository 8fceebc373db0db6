import type { EventId } from "@scorel/kernel";
import { fenced } from "@scorel/kit/text/fence";
import type { AssistantMessage, ImageBlock } from "@scorel/messages/contract";
import type { Place } from "../import/tree-builder.ts";
import { type Json, lineOf, listIn, recordIn, textIn } from "../json.ts";
import {
  assistantMessage,
  blocksOf,
  bounded,
  callIdOf,
  compaction,
  contentOf,
  imageBlock,
  nameOf,
  textBlock,
  toolResult,
  usageOf,
  userMessage,
} from "./foreign-message.ts";
import type { ImportTarget, Reader } from "./reader.ts";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];
/** Matches call ids of the Responses API in pi's form `callId|itemId`. */
const PAIRED = /^[\w-]{1,64}\|[\w-]{1,128}$/;

/**
 * Reads session files of pi: `~/.pi/agent/sessions/<directory>/*.jsonl`. They are trees since version 2 and linear
 * before.
 */
export class PiReader implements Reader {
  private readonly target: ImportTarget;

  constructor(target: ImportTarget) {
    this.target = target;
  }

  take(record: Json) {
    const { builder } = this.target;
    const place = placeOf(record);
    const type = textIn(record.type) || "unnamed";
    if (type === "session") this.target.report.setOrigin(record.id, record.cwd);
    else if (type === "message") this.takeMessage(recordIn(record.message), record, place);
    else if (type === "compaction") this.takeCompaction(record, place);
    else if (type === "branch_summary") this.takeWords("branch_summary", textIn(record.summary), record, place);
    else if (type === "custom_message") this.takeCustom(record, record, place);
    else if (type === "model_change" || type === "thinking_level_change") this.takeSettings(record, place);
    else if (type === "session_info") this.target.named(lineOf(record.name, 200));
    else builder.unknown(type === "custom" ? `custom ${lineOf(record.customType, 40)}` : type, record, place);
  }

  end(): void {}

  private takeMessage(message: Json, record: Json, place: Place) {
    const { builder } = this.target;
    const role = textIn(message.role);
    const timestamp = builder.timeOf(message.timestamp ?? record.timestamp);
    const content = blocksOf(message.content, image);
    if (role === "user" && content.length > 0)
      builder.path("message", { message: userMessage(contentOf(content), timestamp) }, place);
    else if (role === "assistant") builder.path("message", { message: replyOf(message, timestamp) }, place);
    else if (role === "toolResult") this.takeResult(message, timestamp, place);
    else if (role === "bashExecution") this.takeCommand(message, timestamp, place);
    else if (role === "custom" || role === "hookMessage") this.takeCustom(message, record, place);
    else if (role === "compactionSummary" || role === "branchSummary")
      this.takeWords(role, textIn(message.summary), record, place);
    else builder.unknown(`message of ${role || "nobody"}`, record, place);
  }

  private takeResult({ toolCallId, toolName, content, isError }: Json, timestamp: number, place: Place) {
    const message = toolResult({
      callId: toolCallId,
      toolName: nameOf(toolName, "unknown"),
      content: blocksOf(content, image),
      isError: isError === true,
      timestamp,
    });
    const paired = PAIRED.test(textIn(toolCallId)) ? { toolCallId: textIn(toolCallId) } : {};
    this.target.builder.path("message", { message: { ...message, ...paired } }, place);
  }

  /** Converts a command that the user ran by hand. The model reads it unless pi excluded it from the context. */
  private takeCommand(message: Json, timestamp: number, place: Place) {
    const { command, output, exitCode, excludeFromContext } = message;
    const code = typeof exitCode === "number" ? `exit code ${exitCode}` : "it did not end";
    const text = `I ran this command (${code}):\n\n${fenced(textIn(command))}\n\n${fenced(textIn(output))}`;
    const said =
      excludeFromContext === true
        ? { role: "internal" as const, content: text, timestamp }
        : userMessage(text, timestamp);
    this.target.builder.path("message", { message: said }, place);
  }

  private takeCustom(custom: Json, record: Json, place: Place) {
    const { builder } = this.target;
    const content = blocksOf(custom.content, image);
    if (content.length === 0) return builder.unknown("custom message", record, place);
    const message = userMessage(contentOf(content), builder.timeOf(record.timestamp));
    builder.path("custom_message", { kind: lineOf(`pi:${textIn(custom.customType)}`, 80), message }, place);
  }

  private takeWords(kind: string, words: string, record: Json, place: Place) {
    const { builder } = this.target;
    if (words === "") return builder.unknown(kind, record, place);
    const message = userMessage(words, builder.timeOf(record.timestamp));
    builder.path("custom_message", { kind: `pi:${kind}`, message }, place);
  }

  private takeSettings({ type, provider, modelId, thinkingLevel }: Json, place: Place) {
    const { builder, report } = this.target;
    const [by, id, level] = [textIn(provider), textIn(modelId), textIn(thinkingLevel)];
    if (type === "model_change" && by !== "" && id !== "")
      builder.beside("session_info", { changes: { model: lineOf(`${by}/${id}`, 200) } }, place);
    else if (type === "thinking_level_change" && LEVELS.includes(level))
      builder.beside("session_info", { changes: { thinkingLevel: level } }, place);
    else report.leaveOut(type as string);
  }

  /** Converts a compaction. pi names the first entry that is kept; everything before it is summarized. */
  private takeCompaction(record: Json, place: Place) {
    const { builder } = this.target;
    const first = builder.knows(record.firstKeptEntryId) ? builder.placeOf(record.firstKeptEntryId) : null;
    const above = builder.placeOf(place.parent);
    const compactedThrough: EventId | null = first === null ? above : builder.parentOf(first);
    const summary = textIn(record.summary);
    if (summary === "" || compactedThrough === null || !builder.isAbove(compactedThrough, above))
      return builder.unknown("compaction", record, place);
    const tokensBefore = bounded(record.tokensBefore, 1e9);
    builder.path("compact", compaction({ summary, compactedThrough, tokensBefore }), place);
  }
}

function placeOf({ id, parentId, timestamp }: Json): Place {
  const parent = parentId === null || typeof parentId === "string" ? parentId : undefined;
  return { key: typeof id === "string" ? id : undefined, parent, ts: timestamp };
}

function image({ type, data, mimeType }: Json): ImageBlock | undefined {
  return type === "image" ? imageBlock(data, mimeType) : undefined;
}

function replyOf(message: Json, timestamp: number): AssistantMessage {
  const usage = recordIn(message.usage);
  const ended = message.stopReason === "error" || message.stopReason === "aborted";
  return assistantMessage({
    content: listIn(message.content).flatMap((block) => partOf(recordIn(block))),
    api: nameOf(message.api, "unknown"),
    provider: nameOf(message.provider, "unknown"),
    model: nameOf(message.model, "unknown"),
    timestamp,
    usage: usageOf(usage, usage.cost),
    ...(ended && { failure: lineOf(message.errorMessage, 1000) || textIn(message.stopReason) }),
  });
}

function partOf(block: Json): AssistantMessage["content"] {
  const { type, text, thinking, textSignature, thinkingSignature } = block;
  if (type === "text" && textIn(text) !== "")
    return [{ ...textBlock(textIn(text)), ...(typeof textSignature === "string" && { textSignature }) }];
  if (type === "thinking" && typeof thinking === "string")
    return [{ type, thinking, ...(typeof thinkingSignature === "string" && { thinkingSignature }) }];
  if (type !== "toolCall") return [];
  const id = PAIRED.test(textIn(block.id)) ? textIn(block.id) : callIdOf(block.id);
  return [{ type, id, name: nameOf(block.name, "unknown"), arguments: recordIn(block.arguments) }];
}
