import type { ClientScope, OperationContext } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contained } from "../../harness.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    add: { params: { a: number; b: number }; result: { sum: number } };
    count_events: { params: { sessionId: string }; result: { events: number; by: string } };
  }
}

const adder = definePlugin({
  id: "adder",
  name: "Adder",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    add: { params: z.strictObject({ a: z.number(), b: z.number() }), run: ({ a, b }) => ({ sum: a + b }) },
  }),
});

const counter = definePlugin({
  id: "counter",
  name: "Counter",
  version: "1.0.0",
  operations: (ctx) => ({
    count_events: {
      params: z.strictObject({ sessionId: z.string() }),
      run: (_params, { clientId }: OperationContext) => ({ events: ctx.session.tree.size, by: clientId }),
    },
  }),
});

/** A host plugin that reads a session without locking or changing it. */
const unlockedReader = definePlugin({
  id: "unlockedReader",
  name: "Looker",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    count_events: {
      params: z.strictObject({ sessionId: z.string() }),
      run: ({ sessionId }, { look, clientId }) =>
        look(sessionId, ({ kernel }) => ({ events: kernel.session.tree.size, by: clientId })),
    },
  }),
});

/** A slash command that works with an operation. */
const tally = definePlugin({
  id: "tally",
  name: "Tally",
  version: "1.0.0",
  commands: () => ({
    tally: {
      run: async (_args, { sessionId, request }) => `${(await request("count_events", { sessionId })).events} events`,
    },
  }),
});

describe("an operation of a plugin", () => {
  it("is run by a host plugin for any client", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [adder]);
    expect(await t.client.request("add", { a: 2, b: 3 })).toEqual({ sum: 5 });
  });

  it("is run by a plugin of the session in the request, whose id may be shortened", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent, counter]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const answer = { events: 2, by: "tester" };
    expect(await t.client.request("count_events", { sessionId })).toEqual(answer);
    expect(await t.client.request("count_events", { sessionId: sessionId.slice(0, 10) })).toEqual(answer);
  });

  it("can read a session without locking it", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [unlockedReader]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    await t.client.request("close_session", { sessionId });
    expect(await t.client.request("count_events", { sessionId })).toEqual({ events: 2, by: "tester" });
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });

  it("is available to slash commands", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent, counter, tally]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const asked = { sessionId, name: "tally", args: "" };
    expect(await t.client.request("run_command", asked)).toEqual({ output: "2 events" });
  });

  it("is refused with what is wrong in the request", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [adder]);
    const wrong = { a: "2", b: 3, c: 4 } as unknown as { a: number; b: number };
    await expect(t.client.request("add", wrong)).rejects.toMatchObject({
      code: "HOST_PARAMS_INVALID",
      message: expect.stringMatching(/^The request "add" is invalid: a: .*; params: .*"c"/) as string,
    });
  });

  it("is collected once, and again when a plugin adds or removes operations", async () => {
    using home = testHome();
    let collected = 0;
    let add = () => async () => {};
    const counting = definePlugin({
      ...(adder as object as { id: string; name: string; version: string; scope: "host" }),
      operations() {
        collected++;
        return {
          add: { params: z.strictObject({ a: z.number(), b: z.number() }), run: ({ a, b }) => ({ sum: a + b }) },
        };
      },
      activate(ctx) {
        add = () => {
          const remove = ctx.contribute("operations", () => ({
            add: { params: z.strictObject({ a: z.number(), b: z.number() }), run: () => ({ sum: 0 }) },
          }));
          return async () => remove();
        };
      },
    });
    await using t = await testHost([echoAgent], [], [counting]);
    const sum = async () => (await t.client.request("add", { a: 1, b: 2 })).sum;
    await t.client.request("create_session", { cwd: home.cwd });
    expect([await sum(), await sum(), await sum(), collected]).toEqual([3, 3, 3, 1]);
    const remove = add();
    expect([await sum(), await sum(), collected]).toEqual([0, 0, 2]);
    await remove();
    expect([await sum(), await sum(), collected]).toEqual([3, 3, 3]);
  });

  it("is refused for each key that its schema does not name, even when the schema would drop it", async () => {
    using home = testHome();
    const operations = () => ({
      add: {
        summary: "Adds.",
        params: async () => z.object({ a: z.number(), b: z.number(), of: z.object({ unit: z.string() }).optional() }),
        run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
      },
    });
    await using t = await testHost([echoAgent], [], [{ ...adder, operations } as typeof adder]);
    const request = (operation: string, params: object) => t.client.request(operation as "ping", params as never);
    const problems = (operation: string, params: object) =>
      request(operation, params).catch(({ code, message }) => `${code}: ${message}`);
    expect(await request("add", { a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(await problems("add", { a: 1, b: 2, of: { unit: "m", units: "m" } })).toBe(
      'HOST_PARAMS_INVALID: The request "add" is invalid: of: there is no "units" here; did you mean "unit"?.',
    );
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    expect(await problems("send_message", {})).toBe(
      'HOST_PARAMS_INVALID: The request "send_message" is invalid: sessionId: it is missing, a text is needed; content: it is missing, a text or a list is needed.',
    );
    expect(await problems("send_message", { sessionId, content: [{ type: "text" }] })).toBe(
      'HOST_PARAMS_INVALID: The request "send_message" is invalid: content: 0.text: it is missing, a text is needed.',
    );
    expect(await problems("send_message", { sessionId, contnet: "hello", run: 1 })).toBe(
      'HOST_PARAMS_INVALID: The request "send_message" is invalid: content: it is missing, a text or a list is needed; params: there is no "contnet" here; did you mean "content"?; params: there is no "run" here.',
    );
  });

  it("is unknown when no plugin has it", async () => {
    using home = testHome();
    await using t = await testHost();
    const unknown = { code: "HOST_OPERATION_UNKNOWN" };
    await expect(t.client.request("add", { a: 1, b: 1 })).rejects.toMatchObject(unknown);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    await expect(t.client.request("count_events", { sessionId })).rejects.toMatchObject(unknown);
    await expect(t.client.request("toString" as "ping", {})).rejects.toMatchObject(unknown);
    await expect(t.client.request("add", { a: 1, b: 1 })).rejects.toThrow("restart it: scorel host serve --replace");
  });

  it("of a session's plugin needs the sessionId, and a mistyped name is recognised", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const code = (name: string, params: object) => t.client.request(name as "ping", params as never);
    await expect(code("list_commands", {})).rejects.toThrow(
      'The request "list_commands" is invalid: sessionId: it is missing, a text is needed.',
    );
    for (const params of [{}, { sessionId }])
      await expect(code("list_comands", params)).rejects.toThrow('Did you mean "list_commands"?');
    const limited = t.host.connect({ scope: { sessions: [] } });
    await expect(limited.request("list_comands" as "ping", {})).rejects.toMatchObject({
      code: "HOST_OPERATION_UNKNOWN",
      message: expect.not.stringContaining("Did you mean"),
    });
    await limited.close();
  });
});

describe("the result of an operation", () => {
  const wrong = definePlugin({
    ...adder,
    operations: () => ({
      add: {
        params: z.strictObject({ a: z.number(), b: z.number() }),
        result: async () => z.strictObject({ sum: z.number().max(10) }),
        run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
      },
    }),
  } as never);
  const refused = {
    code: "HOST_RESULT_INVALID",
    message: 'Plugin "adder" answered "add" with a result that does not match its schema: sum: it must be at most 10.',
  };

  it("is named as a whole when an operation returns nothing", async () => {
    using _home = testHome();
    const silent = definePlugin({
      ...adder,
      operations: () => ({
        add: { params: z.strictObject({}), result: z.strictObject({ sum: z.number() }), run: () => undefined },
      }),
    } as never);
    await using t = await testHost([echoAgent], [], [contained(silent)]);
    await expect(t.client.request("add", {} as never)).rejects.toMatchObject({
      code: "HOST_RESULT_INVALID",
      message:
        'Plugin "adder" answered "add" with a result that does not match its schema: result: it is missing, an object is needed.',
    });
  });

  it("is checked when an extension returns it", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [contained(wrong)]);
    const client = t.host.connect();
    expect(await client.request("add", { a: 2, b: 3 })).toEqual({ sum: 5 });
    await expect(client.request("add", { a: 20, b: 3 })).rejects.toMatchObject(refused);
  });

  it("is checked for other plugins when the connection asks for it", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent], [], [wrong]);
    expect(await t.host.connect().request("add", { a: 20, b: 3 })).toEqual({ sum: 23 });
    await expect(t.host.connect({ checkResults: true }).request("add", { a: 20, b: 3 })).rejects.toMatchObject(refused);
  });
});

describe("list_operations", () => {
  const described = {
    ...adder,
    operations: () => ({
      add: {
        summary: "Adds two numbers.",
        readOnly: true,
        confined: true,
        params: z.strictObject({ a: z.number(), b: z.number().optional() }),
        result: () => z.strictObject({ sum: z.number() }),
        run: ({ a, b = 0 }: { a: number; b?: number | undefined }) => ({ sum: a + b }),
      },
    }),
  } as typeof adder;
  const number = { type: "number" };
  const add = {
    name: "add",
    summary: "Adds two numbers.",
    plugin: "adder",
    readOnly: true,
    params: { type: "object", properties: { a: number, b: number }, required: ["a"], additionalProperties: false },
    result: { type: "object", properties: { sum: number }, required: ["sum"], additionalProperties: false },
  };

  it("describes the operations of the host and of its plugins, and with a session those of its plugins", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent, counter], [], [described]);
    const { operations } = await t.client.request("list_operations", {});
    expect(operations.find(({ name }) => name === "add")).toEqual(add);
    expect(operations.find(({ name }) => name === "create_session")?.params).toMatchObject({
      properties: { cwd: { type: "string" }, permission: { enum: ["ask", "edits", "full", "plan"] } },
      required: ["cwd"],
      additionalProperties: false,
    });
    expect(operations.map(({ name }) => name)).not.toContain("count_events");
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const ofSession = await t.client.request("list_operations", { sessionId });
    expect(ofSession.operations.map(({ name, plugin }) => [name, plugin])).toEqual([
      ...operations.map(({ name, plugin }) => [name, plugin]),
      ["list_commands", "commands"],
      ["run_command", "commands"],
      ["cancel_commands", "commands"],
      ["list_choices", "commands"],
      ["complete_command", "commands"],
      ["list_background", "commands"],
      ["stop_background", "commands"],
      ["wait_background", "commands"],
      ["set_thinking", "agent"],
      ["count_events", "counter"],
    ]);
  });

  it("lists only what the client may use", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [described]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const listed = async (scope: ClientScope) =>
      (await t.host.connect({ scope }).request("list_operations", {})).operations.map(({ name }) => name);
    expect(await listed({ operations: ["list_operations", "add"] })).toEqual(["list_operations", "add"]);
    expect(await listed({ operations: "read", sessions: [sessionId] })).toEqual([
      ...[
        "ping",
        "list_operations",
        "get_rights",
        "list_sessions",
        "wait_turn",
        "get_queue",
        "get_context",
        "get_events",
      ],
      ...["get_status", "follow_status", "close_session", "add"],
    ]);
  });
});

describe("the host's own operations", () => {
  const names = [
    "create_session",
    "clone_session",
    "load_session",
    "continue_session",
    "list_sessions",
    "send_message",
  ];
  const more = ["wait_turn", "cancel", "get_queue", "rewrite_queue", "run_queue", "get_context", "get_events"];
  const others = ["get_status", "reload_session", "check_sessions", "close_session", "ping"];
  it.each([...names, ...more, ...others] as "send_message"[])(
    "%s is refused with what is wrong in the request",
    async (operation) => {
      using _home = testHome();
      await using t = await testHost();
      for (const wrong of [{ sessionId: 5 }, { sessionId: null, colour: 1 }, null, undefined, 5, []])
        await expect(t.client.request(operation, wrong as never)).rejects.toMatchObject({
          code: "HOST_PARAMS_INVALID",
          message: expect.stringContaining(`The request "${operation}" is invalid: `),
        });
    },
  );

  it.each([
    ["content", { content: 5 }],
    ["content", { content: [{ type: "text" }] }],
    ["running", { content: "hi", running: "later" }],
    ["messageId", { content: "hi", messageId: 7 }],
  ])("refuse a message with an invalid %s before anything is stored", async (field, message) => {
    using home = testHome();
    await using t = await testHost([echoAgent]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await expect(t.client.request("send_message", { sessionId, ...message } as never)).rejects.toMatchObject({
      code: "HOST_PARAMS_INVALID",
      message: expect.stringContaining(`${field}: `),
    });
    expect((await t.client.request("get_events", { sessionId })).events).toEqual([]);
  });

  it("refuse a session operation of a plugin whose session id is not a string", async () => {
    using _home = testHome();
    await using t = await testHost([echoAgent, counter]);
    await expect(t.client.request("count_events", { sessionId: 5 } as never)).rejects.toMatchObject({
      code: "HOST_PARAMS_INVALID",
    });
  });
});
