import type { EventId } from "@scorel/kernel";
import { noUsage } from "@scorel/kit/session/usage";
import type { AssistantMessage, ImageBlock, ToolCallBlock } from "@scorel/messages/contract";
import type { Place } from "../import/tree-builder.ts";
import { type Json, lineOf, listIn, recordIn, textIn } from "../json.ts";
import { typedCommand } from "./claude-commands.ts";
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
  wordsOf,
} from "./foreign-message.ts";
import type { ImportTarget, Reader } from "./reader.ts";

/** Maximum number of replies that wait for further lines; beyond it the oldest is written as it is. */
const MOST_WAITING = 64;
const QUEUES = /^(queue-operation|permission|approval)/;
const TITLES = ["summary", "custom-title", "ai-title"];

/** One reply of the model with its tool results. The file has a line per block, with results in between. */
interface Group {
  messageId: string;
  lines: Json[];
  results: Json[];
  /** Other records attached to the reply, written after it. */
  others: Json[];
  /** Every `uuid` that belongs to the reply. */
  keys: Set<string>;
}

/** Reads session files of Claude Code: `~/.claude/projects/<directory>/<id>.jsonl`. */
export class ClaudeCodeReader implements Reader {
  private readonly target: ImportTarget;
  private readonly waiting = new Map<string, Group>();
  private readonly tools = new Map<string, string>();
  private mainLeaf: EventId | null = null;
  /** Whether the latest message of the main conversation is in a reply that waits for further lines. */
  private isLatestWaiting = false;
  private tokensBefore = 0;

  constructor(target: ImportTarget) {
    this.target = target;
  }

  take(record: Json) {
    this.target.report.setOrigin(record.sessionId, record.cwd);
    const group = this.groupOf(placeOf(record).parent);
    if (record.type === "assistant") this.takeReply(record, group);
    else if (record.type === "user" && group && hasResults(record)) this.hold(group.results, record, group);
    else if (group && record.type !== "user") this.hold(group.others, record, group);
    else this.takeAlone(record, group);
  }

  end(): void {
    const { mainLeaf } = this;
    for (const group of [...this.waiting.values()]) this.flush(group);
    // Replies of abandoned branches wait until the end, too.
    if (!this.isLatestWaiting) this.mainLeaf = mainLeaf;
    const { builder } = this.target;
    if (this.mainLeaf !== null && builder.leaf !== this.mainLeaf) builder.jump(this.mainLeaf, {});
  }

  private takeReply(record: Json, above: Group | undefined) {
    const id = textIn(recordIn(record.message).id) || textIn(record.uuid);
    const known = this.waiting.get(id);
    if (known) return this.hold(known.lines, record, known);
    if (above) this.flush(above);
    const group = { messageId: id, lines: [], results: [], others: [], keys: new Set<string>() };
    this.waiting.set(id, group);
    this.hold(group.lines, record, group);
    const [oldest] = this.waiting.values();
    if (this.waiting.size > MOST_WAITING && oldest) this.flush(oldest);
  }

  private hold(list: Json[], record: Json, { keys, others }: Group) {
    if (list !== others && record.isSidechain !== true) this.isLatestWaiting = true;
    list.push(record);
    if (typeof record.uuid === "string") keys.add(record.uuid);
  }

  private takeAlone(record: Json, above: Group | undefined) {
    if (above) this.flush(above);
    const { builder, report, named } = this.target;
    const type = textIn(record.type) || "unnamed";
    if (type === "user") return this.takeUser(record);
    if (QUEUES.test(type)) return report.leaveOut(type);
    if (TITLES.includes(type)) return named(lineOf(record.summary ?? record.customTitle ?? record.aiTitle, 200));
    const place = placeOf(record);
    if (record.subtype === "compact_boundary")
      this.tokensBefore = bounded(recordIn(record.compactMetadata).preTokens, 1e9);
    builder.unknown(type === "system" ? `system ${lineOf(record.subtype, 40)}`.trim() : type, record, place);
  }

  private takeUser(record: Json) {
    if (record.isSidechain !== true) this.isLatestWaiting = false;
    const { builder } = this.target;
    const place = placeOf(record);
    const content = recordIn(record.message).content;
    const words = wordsOf(content);
    if (record.isCompactSummary === true && builder.placeOf(place.parent) !== null)
      return this.takeSummary(record, place);
    if (hasResults(record)) this.takeResults(record, place);
    const typed = typedCommand(words);
    const said = typed === words ? blocksOf(withoutResults(content), image) : [textBlock(typed ?? "")];
    if ((record.isMeta === true && words !== "") || typed === undefined)
      this.grown(record, builder.path("harness_item", { ...HARNESS, text: words }, place));
    else if (said.length > 0) {
      const message = userMessage(contentOf(said), builder.timeOf(record.timestamp));
      this.grown(
        record,
        builder.path("message", { message }, hasResults(record) ? { ...place, parent: place.key } : place),
      );
    } else if (!hasResults(record)) builder.unknown("user without words", record, place);
  }

  private takeSummary(record: Json, place: Place) {
    const { builder } = this.target;
    const compactedThrough = builder.placeOf(place.parent) as EventId;
    const summary = wordsOf(recordIn(record.message).content);
    const { tokensBefore } = this;
    this.grown(record, builder.path("compact", compaction({ summary, compactedThrough, tokensBefore }), place));
  }

  /** Writes each result as a separate event, one after the other. */
  private takeResults(record: Json, place: Place) {
    const { builder } = this.target;
    for (const item of listIn(recordIn(record.message).content)) {
      const block = recordIn(item);
      if (block.type !== "tool_result") continue;
      const message = toolResult({
        callId: block.tool_use_id,
        toolName: this.tools.get(callIdOf(block.tool_use_id)) ?? "unknown",
        content: blocksOf(block.content, image),
        isError: block.is_error === true,
        timestamp: builder.timeOf(record.timestamp),
      });
      place.parent = builder.knows(place.key) ? place.key : place.parent;
      this.grown(record, builder.path("message", { message }, place));
    }
  }

  private flush(group: Group): void {
    this.waiting.delete(group.messageId);
    const { builder } = this.target;
    const [first = {}] = group.lines;
    const message = replyOf(group.lines, builder.timeOf(first.timestamp));
    for (const block of message.content) if (block.type === "toolCall") this.tools.set(block.id, block.name);
    const place = placeOf(first);
    if (first.isApiErrorMessage === true || message.content.length === 0) builder.unknown("failed reply", first, place);
    else this.grown(first, builder.path("message", { message }, place));
    for (const record of group.results) {
      this.takeResults(record, { ...placeOf(record), parent: place.key });
      builder.alias(place.key, builder.leaf);
    }
    for (const record of group.results) this.takeRest(record);
    const end = group.results.length > 0 ? builder.leaf : builder.placeOf(place.key);
    for (const key of group.keys) builder.alias(key, end);
    for (const record of group.others) this.takeAlone(record, undefined);
  }

  /** Writes the parts of a record that are not results. */
  private takeRest(record: Json) {
    const { builder } = this.target;
    const said = blocksOf(withoutResults(recordIn(record.message).content), image);
    if (said.length === 0) return;
    const message = userMessage(contentOf(said), builder.timeOf(record.timestamp));
    this.grown(record, builder.path("message", { message }, { ts: record.timestamp }));
  }

  private grown(record: Json, id: EventId): void {
    if (record.isSidechain !== true) this.mainLeaf = id;
  }

  private groupOf(parent: Place["parent"]): Group | undefined {
    if (typeof parent !== "string") return undefined;
    for (const group of this.waiting.values()) if (group.keys.has(parent)) return group;
    return undefined;
  }
}

const HARNESS = { kind: "attachment", origin: "system", visibility: "model" } as const;

function placeOf({ uuid, parentUuid, logicalParentUuid, timestamp }: Json): Place {
  // Claude Code links a compaction to its predecessor by logicalParentUuid, while parentUuid is null.
  const given = logicalParentUuid ?? parentUuid;
  const parent = given === null || typeof given === "string" ? given : undefined;
  return { key: typeof uuid === "string" ? uuid : undefined, parent, ts: timestamp };
}

function hasResults(record: Json): boolean {
  return listIn(recordIn(record.message).content).some((block) => recordIn(block).type === "tool_result");
}

function withoutResults(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((block) => recordIn(block).type !== "tool_result") : content;
}

function image(block: Json): ImageBlock | undefined {
  const { data, media_type } = recordIn(block.source);
  return block.type === "image" ? imageBlock(data, media_type) : undefined;
}

/**
 * Merges all lines of a reply into one message. Each line repeats the reply's usage, so only that of the last line
 * counts.
 */
function replyOf(lines: readonly Json[], timestamp: number): AssistantMessage {
  const messages = lines.map((line) => recordIn(line.message));
  const { usage, model } = messages.at(-1) ?? {};
  const tokens = recordIn(usage);
  return assistantMessage({
    content: messages.flatMap(({ content }) => partsOf(content)),
    api: "anthropic-messages",
    provider: "anthropic",
    model: nameOf(model, "unknown"),
    timestamp,
    usage: usage
      ? usageOf({
          input: tokens.input_tokens,
          output: tokens.output_tokens,
          cacheRead: tokens.cache_read_input_tokens,
          cacheWrite: tokens.cache_creation_input_tokens,
        })
      : noUsage(),
  });
}

function partsOf(content: unknown): AssistantMessage["content"] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return listIn(content).flatMap((item): AssistantMessage["content"] => {
    const block = recordIn(item);
    if (block.type === "tool_use") return [callOf(block)];
    if (block.type === "thinking" && textIn(block.thinking) !== "")
      return [{ type: "thinking", thinking: textIn(block.thinking), ...signatureOf(block) }];
    return block.type === "text" && textIn(block.text) !== "" ? [textBlock(textIn(block.text))] : [];
  });
}

function callOf({ id, name, input }: Json): ToolCallBlock {
  return { type: "toolCall", id: callIdOf(id), name: nameOf(name, "unknown"), arguments: recordIn(input) };
}

function signatureOf({ signature }: Json): { thinkingSignature?: string } {
  return textIn(signature) === "" ? {} : { thinkingSignature: textIn(signature) };
}
