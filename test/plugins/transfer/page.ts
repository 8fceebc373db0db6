import { type DisplayAction, definePlugin } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import { z } from "zod";
import { assistant, echoAgent } from "../host/home.ts";
import { type Desk, desk } from "./desk.ts";

declare module "@scorel/kernel" {
  interface Events {
    drawing: { action: DisplayAction };
  }
}

/** A plugin with an event type whose display a test chooses. */
const drawing = definePlugin({
  id: "drawing",
  name: "Drawing",
  version: "1.0.0",
  events: {
    drawing: {
      schema: z.object({ action: z.any() }),
      convertToDisplay: ({ action }) => action,
    },
  },
});

export const drawingDesk = () => desk([echoAgent, drawing]);

/** Creates a session with one user message and then these messages and drawings; returns its id. */
export async function drawn(
  t: Desk,
  actions: readonly DisplayAction[],
  messages: readonly object[] = [],
): Promise<string> {
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  const { session } = (await t.open(sessionId)).kernel;
  await session.append("message", { message: { role: "user", content: "Hello", timestamp: 1 } });
  for (const message of messages)
    await session.append("message", { message: { ...assistant, ...message } as unknown as ScorelMessage });
  for (const action of actions) await session.append("drawing", { action });
  return sessionId;
}

/** Creates a session with a text in every field that a page shows, and in some that it does not; returns its id. */
export async function filled(t: Desk, words: string): Promise<string> {
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd, name: words });
  const { session } = (await t.open(sessionId)).kernel;
  const say = (message: object) =>
    session.append("message", { message: { timestamp: 1, ...message } as unknown as ScorelMessage });
  await session.append("session_info", { changes: { model: words, thinkingLevel: words } });
  await session.append("channel_inject", { channel: words || "x", externalId: words });
  await say({ role: "user", content: words });
  await say({
    role: "user",
    content: [
      { type: "text", text: words },
      { type: "image", data: words, mimeType: words },
      { type: "image", data: words, mimeType: "image/png" },
    ],
  });
  const call = { type: "toolCall", id: words, name: words, arguments: { [words]: words } };
  await say({
    ...assistant,
    provider: words,
    model: words,
    content: [{ type: "thinking", thinking: words }, { type: "text", text: words }, call],
  });
  await say({
    role: "tool_result",
    toolCallId: words,
    toolName: words,
    content: [{ type: "text", text: words }],
    isError: true,
  });
  await say({ role: "internal", content: words });
  await session.append("custom", { kind: words || "x", data: {} });
  await session.append("custom_message", {
    kind: words || "x",
    message: { role: "user", content: words, timestamp: 1 },
  });
  await session.append("harness_item", { kind: "memory", origin: "user", visibility: "both", text: words || "x" });
  for (const action of everyAction(words)) await session.append("drawing", { action });
  return sessionId;
}

/** Every form of display, with the text even in fields for which plugins have only a few values. */
export function everyAction(words: string): DisplayAction[] {
  const strange = words as never;
  const inner: DisplayAction[] = [
    { display: "bubble", role: strange, text: words, thinking: words, label: words, partial: true },
    { display: "bubble", role: "system", text: words },
    { display: "notice", level: strange, text: words },
    { display: "marker", text: words, target: words },
    { display: "badge", text: words },
    { display: "fold", title: words, text: words },
    {
      display: "diff",
      path: words,
      text: `--- ${words}\n+++ ${words}\n@@ ${words} @@\n-${words}\n+${words}\n ${words}`,
    },
    {
      display: "list",
      title: words,
      items: [
        { text: words, state: strange },
        { text: words, state: "done" },
      ],
      text: words,
    },
  ];
  const long = Array.from({ length: 61 }, () => words).join("\n");
  return [
    ...inner,
    { display: "card", title: words, status: strange, text: words, body: inner },
    { display: "card", title: words, status: "done", text: long },
  ];
}
