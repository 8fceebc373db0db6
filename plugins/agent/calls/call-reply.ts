import type { AssistantMessage as PiAssistant, ToolCall } from "@mariozechner/pi-ai";
import type { EventId } from "@scorel/kernel";
import { frozenCopy } from "@scorel/kit/values/copy";
import type { AssistantMessage } from "@scorel/messages/contract";
import { errors } from "../errors.ts";
import type { Redaction } from "../messages/redaction.ts";
import type { UnreadableArguments } from "../reply/flaws.ts";

/** Maximum number of characters of unreadable arguments that are quoted to the model. */
const longestExcerpt = 600;

interface ReplyFacts {
  /** Whether the reply is in the log. If it is not, results of its calls are dropped. */
  kept: boolean;
  /** The reply's event, if the log has its calls exactly as the model wrote them, so that they can be run from the log later. */
  place: { reply: EventId } | undefined;
  /** Maximum number of calls to run. */
  limit: number;
  redaction: Redaction;
  unreadable: ReadonlyMap<string, UnreadableArguments>;
}

/** A model's reply with its tool calls: the frozen message, the limit of calls, and the calls with unreadable arguments. */
export class CallReply {
  readonly kept: boolean;
  readonly place: ReplyFacts["place"];
  readonly redaction: Redaction;
  private readonly message: PiAssistant;
  private readonly facts: ReplyFacts;
  /** Index of each call within the reply, by id. */
  private readonly places: ReadonlyMap<string, number>;
  private frozen: AssistantMessage | undefined;

  constructor(message: PiAssistant, calls: readonly ToolCall[], facts: ReplyFacts) {
    this.message = message;
    this.facts = facts;
    this.kept = facts.kept;
    this.place = facts.place;
    this.redaction = facts.redaction;
    this.places = new Map(calls.map(({ id }, place) => [id, place]));
  }

  /** The reply in the form that hooks receive. Copied only once, so that layers can recognise calls of the same reply by it. */
  get assistantMessage(): AssistantMessage {
    this.frozen ??= frozenCopy(this.message) as unknown as AssistantMessage;
    return this.frozen;
  }

  /** Throws AGENT_CALL_LIMIT for a call beyond the limit, and AGENT_CALL_JSON for one with unreadable arguments. */
  check({ id, name }: ToolCall): void {
    const { limit, unreadable } = this.facts;
    if ((this.places.get(id) ?? 0) >= limit)
      throw errors.AGENT_CALL_LIMIT({ tool: name, calls: this.places.size, limit });
    const flaw = unreadable.get(id);
    if (flaw) throw errors.AGENT_CALL_JSON({ tool: name, reason: flaw.reason, text: excerpt(flaw.text) });
  }
}

/** Keeps the start and the end of a long text: errors in arguments are mostly at the end. */
function excerpt(text: string): string {
  if (text.length <= longestExcerpt) return text;
  const half = longestExcerpt / 2;
  return `${text.slice(0, half)} [… ${text.length - longestExcerpt} characters …] ${text.slice(-half)}`;
}
