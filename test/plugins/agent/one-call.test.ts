import { describe, expect, it } from "vitest";
import { z } from "zod";
import { text, toolCall } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

type Change = (call: { args: any }) => unknown;

/** Runs one call of a tool with these parameters. Returns the arguments that each part of the system sees. */
async function seenOf(proposed: object, parameters: unknown, change: Change = () => {}) {
  const seen: Record<string, unknown> = {};
  const note = (what: string, value: unknown) => {
    seen[what] = structuredClone(value);
  };
  const layer = extension("layer", {
    hooks: (ctx) => ({
      beforeToolCall: (call) => void change(call) as undefined,
      approveToolCall: ({ toolCall: { name, arguments: own }, args }) => {
        note("approve", args);
        note("approve toolCall", own);
        note("validated again", ctx.find("tools")?.get(name)?.validate(args));
      },
      afterToolCall: ({ toolCall: { arguments: own }, args }) => {
        note("after", args);
        note("after toolCall", own);
      },
    }),
  });
  const it = tool(
    "it",
    async (_id, params) => {
      note("tool", params);
      return says("done");
    },
    {
      parameters,
      access: (params) => {
        note("access", params);
        return "read";
      },
      display: (params) => {
        note("display", params);
        return { display: "badge", text: JSON.stringify(params) };
      },
    },
  );
  await using a = await openAgent([toolCall("it", proposed), text("ok")], { tools: [it], plugins: [layer] });
  const started = a.next(({ type }) => type === "tool_execution_start");
  await (await a.agent.send("go")).turn;
  note("event", (await started).args);
  const result = a.stored().find(({ message }: any) => message?.role === "tool_result") as any;
  const reply = a.stored().find(({ message }: any) => message?.role === "assistant") as any;
  note("kept display", JSON.parse((a.session.display(result) as { text: string }).text));
  return {
    seen,
    reply: reply.message.content[0].arguments,
    sent: JSON.parse(a.server.requests[1]?.body.messages.at(-2).tool_calls[0].function.arguments),
    result: result.message,
  };
}

const everyone = ["event", "approve", "approve toolCall", "validated again", "access", "tool", "after"];
const all = (value: unknown) =>
  Object.fromEntries([...everyone, "after toolCall", "display", "kept display"].map((what) => [what, value]));

describe("the same value is used throughout a call:", () => {
  const shout = z.object({
    word: z.string().transform((word) => `${word}!`),
    times: z.int().default(3),
  });

  it("with the schema's defaults and transforms, applied once before any guard", async () => {
    const { seen, reply, sent } = await seenOf({ word: "hey" }, shout);
    expect(seen).toEqual(all({ word: "hey!", times: 3 }));
    expect([reply, sent]).toEqual([{ word: "hey" }, { word: "hey" }]);
  });

  it("with a layer's changes, validated again from what was proposed", async () => {
    const { seen, reply } = await seenOf({ word: "hey" }, shout, (call) => {
      expect(call.args).toEqual({ word: "hey" });
      call.args = { word: "ho", times: 1 };
    });
    expect(seen).toEqual(all({ word: "ho!", times: 1 }));
    expect(reply).toEqual({ word: "hey" });
  });

  it("unchanged if the schema changes nothing, and the log does not repeat it", async () => {
    const schema = { type: "object", properties: { path: { type: "string" } } };
    const { seen, result } = await seenOf({ path: "a", more: [1, { deep: true }] }, schema);
    expect(seen).toEqual(all({ path: "a", more: [1, { deep: true }] }));
    expect(result.meta).toBeUndefined();
  });

  it("without what a layer removed", async () => {
    const { seen } = await seenOf({ path: "a", force: true }, { type: "object", properties: {} }, ({ args }) => {
      delete args.force;
    });
    expect(seen).toEqual(all({ path: "a" }));
  });

  it("even if the schema's results vary, since it is applied once", async () => {
    let asked = 0;
    const counting = z.object({}).transform(() => ({ asked: ++asked }));
    const { seen } = await seenOf({}, counting);
    expect(seen).toEqual(all({ asked: 1 }));
  });
});

describe("a call cannot change between its approval and its run:", () => {
  const open = { type: "object", properties: {} };
  const inner: { to: string } = { to: "good" };
  let reads = 0;
  class Target {
    to = "good";
  }
  const tricks: [string, Change, unknown?][] = [
    ["an object that its layer keeps", (call) => (call.args = { inner })],
    ["an object frozen at its surface only", (call) => (call.args = Object.freeze({ inner }))],
    [
      "a getter that answers otherwise later",
      (call) => (call.args = { inner: { get to() { return ++reads > 1 ? "bad" : "good"; } } }), // biome-ignore format: one trick a line
    ],
    [
      "a proxy that answers otherwise later",
      (call) => (call.args = { inner: new Proxy({ to: "" }, { get: () => (++reads > 1 ? "bad" : "good") }) }),
    ],
    ["a key named __proto__", (call) => (call.args = JSON.parse('{"inner":{"to":"good"},"__proto__":{"to":"bad"}}'))],
    ["a form of its own for JSON", (call) => (call.args = { inner, toJSON: () => ({}) }), /toJSON is a function/],
    ["a field of its prototype", (call) => (call.args = Object.create({ inner })), /not a plain object/],
    ["an instance of a class", (call) => (call.args = { inner: new Target() }), /inner is not a plain object/],
    ["a date", (call) => (call.args = { inner, at: new Date(0) }), /at is not a plain object/],
    ["a number that JSON has not", (call) => (call.args = { inner, n: Number.NaN }), /n is NaN/],
    ["a circle", (call) => (call.args.inner = call.args), /nested too deeply/],
  ];

  it.each(tricks)("%s", async (_what, trick, refused) => {
    reads = 0;
    inner.to = "good";
    const seen: unknown[] = [];
    const layer = extension("layer", {
      hooks: () => ({
        beforeToolCall: (call) => void trick(call),
        approveToolCall: ({ args }) => {
          seen.push(structuredClone(args));
          inner.to = "bad";
          return undefined;
        },
      }),
    });
    const it = tool("it", async (_id, params) => {
      seen.push(structuredClone(params));
      return says("ran");
    }, { parameters: open }); // biome-ignore format: short
    await using a = await openAgent([toolCall("it", {}), text("ok")], { tools: [it], plugins: [layer] });
    await (await a.agent.send("go")).turn;
    const answer = a.server.requests[1]?.body.messages.at(-1).content;
    if (refused) {
      expect(seen).toEqual([]);
      expect(answer).toMatch(refused as RegExp);
    } else {
      expect(seen).toMatchObject([{ inner: { to: "good" } }, { inner: { to: "good" } }]);
      expect(seen[0]).toEqual(seen[1]);
      expect(answer).toBe("ran");
    }
  });

  it("a layer cannot write to what it approves, while a tool may write to what it gets", async () => {
    const writes: unknown[] = [];
    const layer = extension("layer", {
      hooks: () => ({
        approveToolCall: ({ args, toolCall: call }: any) => {
          for (const target of [args, args.list, args.list[0], call, call.arguments])
            writes.push(Reflect.set(target, "evil", true), Reflect.set(Object.getPrototypeOf(args), "evil", undefined));
          delete (Object.prototype as any).evil;
          return undefined;
        },
        afterToolCall: ({ args }) => void writes.push(structuredClone(args)),
      }),
    });
    const it = tool("it", async (_id, params: any) => {
      params.list.push("own");
      params.more = true;
      return says(JSON.stringify(params));
    });
    await using a = await openAgent([toolCall("it", { list: [{ n: 1 }] }), text("ok")], {
      tools: [it],
      plugins: [layer],
    });
    await (await a.agent.send("go")).turn;
    expect(writes.filter((_, at) => at % 2 === 0)).toEqual([false, false, false, false, false, { list: [{ n: 1 }] }]);
    expect(a.server.requests[1]?.body.messages.at(-1).content).toBe('{"list":[{"n":1},"own"],"more":true}');
  });

  it("changed arguments are stored without secrets", async () => {
    process.env.ONE_CALL_TOKEN = "sk-one-call-0123456789";
    const layer = extension("layer", {
      hooks: () => ({
        beforeToolCall: ({ args }) => void Object.assign(args as object, { key: "sk-one-call-0123456789" }),
      }),
    });
    try {
      await using a = await openAgent([toolCall("it", {}), text("ok")], {
        tools: [tool("it", async () => says("done"))],
        plugins: [layer],
        model: { apiKeyEnv: "ONE_CALL_TOKEN" },
      });
      await (await a.agent.send("go")).turn;
      expect(JSON.stringify([a.stored(), await a.heard()])).not.toContain("sk-one-call-0123456789");
      expect(JSON.stringify(a.stored())).toContain('"key"');
    } finally {
      delete process.env.ONE_CALL_TOKEN;
    }
  });
});
