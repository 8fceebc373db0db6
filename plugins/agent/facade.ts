import type { AgentMessage, AgentState, AgentTool } from "@mariozechner/pi-agent-core";
import { type BaseContext, perPlugin } from "@scorel/kernel";
import { bodyHash } from "@scorel/kit/session/message-id";
import type { ImageBlock, MessageMeta, UserMessage } from "@scorel/messages/contract";
import type { AgentService, QueueChange } from "./contract.ts";
import { type Environment, offeredTools, systemPrompt, tools } from "./environment.ts";
import { errors } from "./errors.ts";
import { storableText } from "./messages/before-store.ts";
import { fittedContent, isToFit } from "./messages/content.ts";
import { toAgentMessages, userText } from "./messages/convert.ts";
import { SendingOrder } from "./messages/sending-order.ts";
import type { Dispatcher } from "./turn/dispatcher.ts";
import { contextTokens, estimateTokens, textTokens } from "./turn/usage.ts";

/** Creates the service `agent` over a dispatcher. */
export function createFacade(env: Environment, dispatcher: Dispatcher): AgentService {
  const { ctx } = env;
  const order = new SendingOrder();
  const put = (message: UserMessage, mode: "steer" | "follow_up") =>
    order.pass(fitting(ctx, message), (ready) => dispatcher.enqueue(ready, mode));
  const enqueue = (message: AgentMessage | string, mode: "steer" | "follow_up") =>
    void put(asUserMessage(message), mode).catch((thrown) => ctx.report(mode, thrown));
  const service: AgentService = {
    async prompt(input, images = []) {
      const messages = Array.isArray(input)
        ? input.map((message) => asUserMessage(message))
        : [asUserMessage(input, images)];
      const prompts = messages.some((it) => isToFit(ctx, it.content))
        ? await Promise.all(messages.map((it) => fitting(ctx, it)))
        : messages;
      const { turn } = await dispatcher.start(prompts.map((message) => ({ message })));
      await turn;
    },
    steer: (message) => enqueue(message, "steer"),
    followUp: (message) => enqueue(message, "follow_up"),
    abort: () => void dispatcher.cancel(),
    waitForIdle: () => dispatcher.idle(),
    subscribe: (listener) => env.listeners.add(listener),
    state: createState(env, dispatcher),
    get signal() {
      return dispatcher.signal;
    },
    async send(content, options = {}) {
      const { limits } = options;
      const meta: MessageMeta = { ...(options.mentions === false && { literal: true }), ...(limits && { limits }) };
      const message: UserMessage = { ...userMessage(content), ...(Object.keys(meta).length > 0 && { meta }) };
      const { messageId } = options;
      const sent = messageId === undefined ? options : { ...options, messageId, hash: bodyHash(content) };
      const prepared = options.mentions === false ? fitting(ctx, message) : whole(ctx, message);
      return order.pass(prepared, (ready) => dispatcher.send(ready, sent));
    },
    cancel: ({ clientId, hostStops = false } = {}) =>
      hostStops ? dispatcher.cancel(undefined, errors.AGENT_HOST_STOPPED()) : dispatcher.cancel(clientId),
    get running() {
      return dispatcher.running;
    },
    outcomeOf: (id) => dispatcher.find(id),
    async rewriteQueue(items, options = {}) {
      const isChanged = items.some(({ message }) => message !== undefined);
      const changes = isChanged ? await Promise.all(items.map((item) => readyItem(ctx, item))) : items;
      return dispatcher.rewriteQueue(changes, options);
    },
    runQueue: () => dispatcher.startQueued(),
    contextTokens: () => contextTokens(ctx.session, () => textTokens(fixedPart(env)), mostCounted(ctx.model.current())),
    estimateTokens,
    fixedTokens: () => textTokens(fixedPart(env)),
    ask: async (question) =>
      (await import("./turn/ask.ts")).ask(env, question, ({ usage }) => void dispatcher.charge(usage)),
    charge(usage, { told = false } = {}) {
      const isCharged = dispatcher.charge(usage);
      if (isCharged && !told) ctx.session.emit("usage_charged", { usage });
      return isCharged;
    },
    storable: (text) => storableText(env, text),
    get changesStored() {
      return env.hooks.beforeStore.layers > 0;
    },
    awaits: (requestId) => dispatcher.awaits(requestId),
    resume: (requestId, write) => dispatcher.resume(requestId, write),
    callTyped: async (call, options) => (await import("./calls/typed-call.ts")).callTyped(env, call, options),
    betweenTurns: (work) => dispatcher.betweenTurns(work),
  };
  return Object.assign(service, {
    [perPlugin]: (plugin: BaseContext) => viewFor(plugin, service, { env, dispatcher }),
  });
}

/**
 * Creates a plugin's view of the service: failures of its listeners are reported with the plugin's name, its listeners are removed when it
 * stops, and the messages that it sends count against its limits.
 */
function viewFor(
  plugin: BaseContext,
  service: AgentService,
  { env: { queue }, dispatcher }: { env: Environment; dispatcher: Dispatcher },
): AgentService {
  // Each change is charged with the size of the whole queue and of pending messages, so that a loop cannot fill the queue.
  const size = () => JSON.stringify(queue.items).length + dispatcher.unclean;
  const pay = (where: string) => plugin.spend(where, { written: 1 }, size);
  const counted: Partial<AgentService> = {
    steer(message) {
      pay("agent.steer");
      service.steer(message);
    },
    followUp(message) {
      pay("agent.followUp");
      service.followUp(message);
    },
    async prompt(...given) {
      pay("agent.prompt");
      return service.prompt(...given);
    },
    async send(...given) {
      pay("agent.send");
      return service.send(...given);
    },
    async rewriteQueue(...given) {
      pay("agent.rewriteQueue");
      return service.rewriteQueue(...given);
    },
    subscribe(listener) {
      const leave = plugin.onDispose(service.subscribe(plugin.isolate("agent.subscribe", listener)));
      return () => void leave();
    },
  };
  return Object.assign(Object.create(service) as AgentService, counted);
}

/** pi's read-only `state`. Each property is read from the log or the loop on access. */
function createState({ ctx, listeners }: Environment, dispatcher: Dispatcher): Readonly<AgentState> {
  const { live } = listeners;
  return {
    get systemPrompt() {
      return systemPrompt(ctx);
    },
    get model() {
      return ctx.model.current();
    },
    get thinkingLevel() {
      return (ctx.session.projection("sessionMeta").thinkingLevel ?? "off") as AgentState["thinkingLevel"];
    },
    get tools() {
      return tools(ctx).map((tool) => ({ ...tool })) as unknown as AgentTool[];
    },
    get messages() {
      return toAgentMessages(ctx.session.buildContext());
    },
    get isStreaming() {
      return dispatcher.running;
    },
    get streamingMessage() {
      return live.streamingMessage as AgentMessage;
    },
    get pendingToolCalls() {
      return live.pendingToolCalls;
    },
    get errorMessage() {
      return live.errorMessage as string;
    },
  };
}

/** Token count beyond which a conversation is certainly too long for the model. */
function mostCounted({ contextWindow }: { contextWindow: number }): number {
  return contextWindow > 0 ? 1.25 * contextWindow : Number.POSITIVE_INFINITY;
}

/** The system prompt and the tools as one text, for estimating their tokens. */
function fixedPart({ ctx }: Environment): string {
  const offered = offeredTools(ctx);
  return systemPrompt(ctx) + (offered.length > 0 ? JSON.stringify(offered) : "");
}

function asUserMessage(input: string | AgentMessage, images: readonly ImageBlock[] = []): UserMessage {
  if (typeof input === "string")
    return userMessage(images.length === 0 ? input : [{ type: "text", text: input }, ...images]);
  if (input.role !== "user") throw errors.AGENT_MESSAGE({ reason: `its role is "${input.role}", not "user"` });
  return userMessage(input.content);
}

/** The message with images that the provider accepts. Synchronous if it has none. */
function fitting(ctx: BaseContext, message: UserMessage): UserMessage | Promise<UserMessage> {
  if (!isToFit(ctx, message.content)) return message;
  return fittedContent(ctx, message.content).then((content) => ({ ...message, content }));
}

/** The message with the files that it mentions. Synchronous if it mentions none and has no images. */
function whole(ctx: BaseContext, message: UserMessage): UserMessage | Promise<UserMessage> {
  if (!isToAttach(ctx, message.content)) return fitting(ctx, message);
  return attached(ctx, message).then((ready) => fitting(ctx, ready));
}

/** Attaches mentioned files again, since the edited message may mention others. */
async function readyItem(ctx: BaseContext, item: QueueChange): Promise<QueueChange> {
  if (!item.message) return item;
  const { meta, ...message } = item.message;
  const { mentions: _before, ...kept } = meta ?? {};
  const content = userContent(message.content);
  const ready = { ...message, content, ...(Object.keys(kept).length > 0 && { meta: kept }) };
  return { ...item, message: await fitting(ctx, await attached(ctx, ready)) };
}

/** Whether files may have to be attached. */
function isToAttach(ctx: BaseContext, content: UserMessage["content"]): boolean {
  return ctx.find("mentions") !== undefined && userText(content).includes("@");
}

async function attached(ctx: BaseContext, message: UserMessage): Promise<UserMessage> {
  const found = await ctx.find("mentions")?.attach(message.content);
  return found ? { ...message, content: found.content, meta: { ...message.meta, mentions: found.mentions } } : message;
}

function userMessage(content: UserMessage["content"]): UserMessage {
  return { role: "user", content: userContent(content), timestamp: Date.now() };
}

function unmarked<B extends { attachment?: true; forPeople?: string }>(block: B): B {
  const { attachment: _mark, forPeople: _line, ...rest } = block;
  return rest as B;
}

/** Throws AGENT_MESSAGE for an empty message, and for anything but text or a list of blocks, which extensions in JavaScript can pass. */
function userContent(content: UserMessage["content"]): UserMessage["content"] {
  if (typeof content !== "string" && !Array.isArray(content))
    throw errors.AGENT_MESSAGE({ reason: "its content is neither text nor a list of blocks" });
  const empty = typeof content === "string" ? content.trim() === "" : content.length === 0;
  if (empty) throw errors.AGENT_MESSAGE({ reason: "it is empty" });
  // Clients hide attachments, so only Scorel itself may mark blocks as attached.
  return typeof content === "string" || !content.some((block) => block?.attachment) ? content : content.map(unmarked);
}
