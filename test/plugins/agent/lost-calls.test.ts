import { definePlugin, type Events } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { type AgentTest, openAgent } from "./setup.ts";

const call = (id: string) => ({ type: "toolCall", id, name: "work", arguments: {} });
const reply = (ids: readonly string[], more: object = {}) =>
  ({
    message: {
      role: "assistant",
      content: ids.map(call),
      ...{ api: "openai-completions", provider: "p", model: "m", stopReason: "toolUse", timestamp: 1 },
      usage: noUsage(),
      ...more,
    },
  }) as unknown as Events["message"];
const result = (id: string) =>
  ({
    message: { role: "tool_result", toolCallId: id, toolName: "work", content: [], isError: false, timestamp: 1 },
  }) as Events["message"];
const user = { message: { role: "user", content: "hello", timestamp: 1 } } as Events["message"];

/** The events about calls that are stored when a session with these events is opened. */
async function afterStart(before: (t: AgentTest) => Promise<unknown>): Promise<unknown[]> {
  const asked = definePlugin({
    id: "asked",
    name: "Asked",
    version: "1.0.0",
    provides: ["approver"],
    activate: (ctx) =>
      ctx.provide("approver", { ask: async () => undefined, isUnanswered: (id: string) => id === "asked" }),
  });
  await using t = await openAgent([], { plugins: [asked] });
  await before(t);
  const known = t.stored().length;
  t.session.emit("session_start", {});
  await t.kernel.drained();
  await t.session.synced();
  return t
    .stored()
    .slice(known)
    .map((event) => {
      const { toolCallId, content, isError } = (event as unknown as { message: any }).message;
      return [toolCallId, isError, content[0].text];
    });
}

const STOPPED =
  "Stopped: Scorel ended while this ran; its result is unknown. It may have had an effect; check before you repeat it.";
const NOT_RUN = "Not run: Scorel ended while it was asked whether this may run.";

describe("calls without a result, when a session is opened", () => {
  it("get one that says that they were stopped, or that they have not run", async () => {
    const stored = await afterStart(async ({ session }) => {
      await session.append("message", user);
      await session.append("message", reply(["done", "ran", "asked"]));
      await session.append("message", result("done"));
    });
    expect(stored).toEqual([
      ["ran", true, STOPPED],
      ["asked", true, NOT_RUN],
    ]);
  });

  it("get none if all have one, the person has gone on, or the reply was not whole", async () => {
    const none = [
      async ({ session }: AgentTest) => {
        await session.append("message", reply(["a"]));
        await session.append("message", result("a"));
      },
      async ({ session }: AgentTest) => {
        await session.append("message", reply(["a"]));
        await session.append("message", user);
      },
      async ({ session }: AgentTest) =>
        session.append("message", reply(["a"], { partial: true, stopReason: "aborted" })),
    ];
    for (const before of none) expect(await afterStart(before)).toEqual([]);
  });

  it("get none if the conversation was rewound to the reply", async () => {
    const stored = await afterStart(async ({ session }) => {
      const { id } = await session.append("message", reply(["a"]));
      await session.append("message", result("a"));
      await session.append("rewind", { targetEventId: id });
    });
    expect(stored).toEqual([]);
  });
});
