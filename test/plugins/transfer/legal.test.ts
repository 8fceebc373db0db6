import { expect, it } from "vitest";
import { complaints } from "./legal.ts";

const user = { role: "user", content: "hi" };

it.each([
  ["openai-completions", { messages: [user, { role: "assistant", tool_calls: [{ id: "a" }] }, user] }],
  ["openai-completions", { messages: [user, { role: "tool", tool_call_id: "a", content: "x" }] }],
  ["openai-responses", { input: [user, { type: "function_call", call_id: "a" }, user] }],
  ["openai-responses", { input: [user, { type: "function_call_output", call_id: "a" }] }],
  [
    "anthropic-messages",
    {
      messages: [
        user,
        { role: "assistant", content: [{ type: "tool_use", id: "../a" }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "../a" }] },
      ],
    },
  ],
  ["anthropic-messages", { messages: [{ role: "assistant", content: [{ type: "text", text: "" }] }] }],
  [
    "google-generative-ai",
    {
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [{ functionCall: { name: "a" } }] },
        { role: "user", parts: [{ text: "x" }] },
      ],
    },
  ],
] as const)("a conversation that a provider would refuse is reported: %s %#", (api, body) => {
  expect(complaints(api, body)).not.toEqual([]);
});

it("a valid conversation is not reported", () => {
  const messages = [
    user,
    { role: "assistant", tool_calls: [{ id: "a" }, { id: "b" }] },
    ...["b", "a"].map((id) => ({ role: "tool", tool_call_id: id, content: "" })),
    user,
  ];
  expect(complaints("openai-completions", { messages })).toEqual([]);
});
