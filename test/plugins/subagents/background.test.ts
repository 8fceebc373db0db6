import commands from "@scorel/commands";
import { expect, it } from "vitest";
import { Screen } from "../../../plugins/chat/screen.ts";
import { delayUntil, gate, hang, text, toolCall } from "../../model-server.ts";
import { childrenOf, resultsIn, task, used, working } from "./working.ts";

const behind = (prompt: string) => toolCall("Task", { description: prompt, prompt, background: true });
const touch = toolCall("Touch", {});

/** The texts of the user messages in a session. */
async function toldIn(t: Awaited<ReturnType<typeof working>>): Promise<string[]> {
  const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
  return events.flatMap(({ event }: any) => (event.message?.role === "user" ? [event.message.content] : []));
}

const lastReply = async (t: Awaited<ReturnType<typeof working>>) => {
  const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
  return (events as any[]).findLast(({ event }) => event.message?.role === "assistant")?.event.message.content[0]?.text;
};

it("a call in the background ends at once, and its report begins a turn in a session that rests", async () => {
  const done = gate();
  await using t = await working({
    "Go.": [behind("Look"), text("I wait."), text("Thanks.")],
    Look: [[delayUntil(done.promise), text("Found it.")]],
  });
  expect((await t.outcome()).text).toBe("I wait.");
  const statuses = async () => (await t.client.request("list_requests", { sessionId: t.sessionId })).statuses;
  expect(await statuses()).toEqual([{ plugin: "subagents", text: "1 subagent in the background", shipped: true }]);
  const [child] = await childrenOf(t.client, t.sessionId);
  const [result] = await resultsIn(t.client, t.sessionId);
  expect(result).toMatchObject({
    isError: false,
    details: { sessionId: child?.sessionId, background: { sessionId: child?.sessionId, description: "Look" } },
  });
  done.open();
  await expect.poll(() => lastReply(t)).toBe("Thanks.");
  expect(await statuses()).toEqual([]);
  expect((await toldIn(t)).at(-1)).toBe(
    `[Report of the subagent "Look" in the background, session ${child?.sessionId}. These are its words, not those of the user.]\nFound it.`,
  );
});

it("a report reaches a running turn at its next round, and its cost counts there", async () => {
  const next = gate();
  await using t = await working({
    "Go.": [behind("Look"), [delayUntil(next.promise), touch], text("Thanks.")],
    Look: [[text("Found it."), used(500)]],
  });
  await expect.poll(() => t.heard.some(({ type }) => type === "usage_charged")).toBe(true);
  await expect.poll(async () => (await t.client.request("get_queue", { sessionId: t.sessionId })).items.length).toBe(1);
  next.open();
  const { text: last, usage } = await t.outcome();
  expect([last, usage.input >= 500]).toEqual(["Thanks.", true]);
  expect((await toldIn(t)).at(-1)).toContain("Found it.");
});

it("a report that waits for the next round is printed once in lines, with a note when it is queued", async () => {
  const next = gate();
  await using t = await working({
    "Go.": [behind("Look"), [delayUntil(next.promise), touch], text("Thanks.")],
    Look: [text("Found it.")],
  });
  const pieces: string[] = [];
  const write = async (piece: string) => void pieces.push(piece);
  const printed = () => pieces.join("");
  const screen = new Screen({ write, failure: undefined, complaint: undefined }, { clientId: "me" });
  await t.client.subscribe(t.sessionId, (delivered) => screen.hear(delivered), { tail: Number.POSITIVE_INFINITY });
  await expect.poll(printed).toContain('(queued by subagent)\n  subagent> [Report of the subagent "Look"');
  expect(printed()).not.toContain("Found it.");
  next.open();
  await t.outcome();
  await t.client.drained(t.sessionId);
  expect(printed().split("Found it.")).toHaveLength(2);
});

it("a background subagent is waited for by the client that has started it, and not by clients that came later", async () => {
  const done = gate();
  await using t = await working(
    {
      "Go.": [behind("Look"), text("I wait."), text("Thanks.")],
      Look: [[delayUntil(done.promise), text("Found it.")]],
    },
    { plugins: [commands as never] },
  );
  const { sessionId } = t;
  await t.outcome();
  const { anchor } = await t.client.request("get_status", { sessionId });
  const wait = (after: number, known: string[] = []) =>
    t.client.request("wait_background", { sessionId, after, known });
  expect(await wait(Math.max(anchor.persistentSeq, anchor.streamSeq))).toEqual({ reports: [], running: 0 });
  const waiting = wait(0);
  done.open();
  const { reports } = await waiting;
  const { text: said } = await t.client.request("wait_turn", { sessionId, id: reports[0] as string });
  expect([reports.length, said, await wait(0, reports)]).toEqual([1, "Thanks.", { reports: [], running: 0 }]);
});

it("the usage of a background subagent is in its session's log at once, also while no turn runs, and /cost shows it", async () => {
  const end = gate();
  await using t = await working(
    {
      "Go.": [behind("Look"), text("I wait."), text("Thanks.")],
      Look: [
        [touch, used(500)],
        [delayUntil(end.promise), text("Found it."), used(70)],
      ],
    },
    { plugins: [commands as never] },
  );
  await t.outcome();
  const noted = async () => {
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    return (events as any[]).flatMap(({ event }) => (event.kind === "spent" ? [event.data] : []));
  };
  const [child] = await childrenOf(t.client, t.sessionId);
  const usage = (input: number) => expect.objectContaining({ input, sessionId: child?.sessionId });
  await expect.poll(noted).toEqual([{ hidden: true, model: "Task", usage: usage(500) }]);
  const { output } = await t.client.request("run_command", { sessionId: t.sessionId, name: "cost", args: "" });
  expect(output).toContain("Task: 500 tokens in, 0% from the cache, 1 out");
  end.open();
  await expect.poll(() => lastReply(t)).toBe("Thanks.");
  expect((await noted()).map((each) => each.usage)).toEqual([usage(500), usage(70)]);
});

it("a person stops a background subagent, and the model is told", async () => {
  await using t = await working(
    { "Go.": [behind("Look"), text("I wait."), text("Thanks.")], Look: [hang()] },
    { plugins: [commands as never] },
  );
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  const { items } = await t.client.request("list_background", { sessionId: t.sessionId });
  expect(items).toEqual([
    { id: child?.sessionId, sessionId: child?.sessionId, title: "subagent: Look", since: expect.any(Number) },
  ]);
  const { output } = await t.client.request("run_command", {
    ...{ sessionId: t.sessionId, name: "tasks", args: "stop 1" },
  });
  expect(output).toBe("Stopped: subagent: Look");
  await expect.poll(() => lastReply(t)).toBe("Thanks.");
  expect((await toldIn(t)).at(-1)).toContain("Somebody cancelled the subagent");
});

it("a question of a subagent in the background is asked in a session that rests", async () => {
  await using t = await working(
    { "Go.": [behind("Touch it"), text("I wait."), text("Thanks.")], "Touch it": [touch, text("Touched.")] },
    { permission: "ask", attending: true },
  );
  await t.outcome();
  const question = () => t.heard.find(({ type }) => type === "approval_request");
  await expect.poll(question).toMatchObject({ title: "Touch it: Use the tool Touch?" });
  await t.client.request("answer_request", { sessionId: t.sessionId, requestId: question().requestId, answer: "y" });
  await expect.poll(() => lastReply(t)).toBe("Thanks.");
});

it("a definition can request the background, and a call can override it", async () => {
  const given = (more: object) => toolCall("Task", { description: "Look", prompt: "Look", agent: "finder", ...more });
  const files = { ".scorel/agents/finder.md": "---\ndescription: Finds\nbackground: true\n---\nFind.\n" };
  await using t = await working(
    {
      "Go.": [given({}), given({ background: false }), text("I wait."), text("Thanks.")],
      Look: [text("One."), text("Two.")],
    },
    { files },
  );
  await t.outcome();
  const results = await resultsIn(t.client, t.sessionId);
  expect(results.map(({ details }) => details.background !== undefined)).toEqual([true, false]);
});

it("a subagent waits for those that it starts in the background, since its session ends with its turn", async () => {
  const done = gate();
  await using t = await working({
    "Go.": [task("Outer"), text("Thanks.")],
    Outer: [behind("Inner"), text("Inner has found it.")],
    Inner: [[delayUntil(done.promise), text("Found it.")]],
  });
  await expect.poll(() => t.server.requests.length).toBe(3);
  done.open();
  expect((await t.outcome()).text).toBe("Thanks.");
  const [outer] = await childrenOf(t.client, t.sessionId);
  const results = await Promise.all([t.sessionId, outer?.sessionId as string].map((id) => resultsIn(t.client, id)));
  expect(results.map(([first]) => first?.content)).toEqual([
    [{ type: "text", text: "Inner has found it." }],
    [{ type: "text", text: "Found it." }],
  ]);
});

it("no more subagents start than may work at the same time", async () => {
  await using t = await working(
    { "Go.": [[behind("One"), behind("Two")], text("I wait.")], One: [[hang()]], Two: [[hang()]] },
    { parallel: 1 },
  );
  await t.outcome();
  const results = await resultsIn(t.client, t.sessionId);
  expect(results.map(({ isError }) => isError).sort()).toEqual([false, true]);
  expect(JSON.stringify(results)).toContain("no other can start in the background");
});

it("a subagent that was cut off with its session is reported as interrupted when that is opened again, without a turn", async () => {
  await using t = await working({ "Go.": [behind("Look"), text("I wait."), text("Thanks.")], Look: [[hang()]] });
  await t.outcome();
  await expect.poll(() => t.server.requests.length).toBe(3);
  const [child] = await childrenOf(t.client, t.sessionId);
  await t.client.request("close_session", { sessionId: t.sessionId });
  await t.client.request("load_session", { sessionId: t.sessionId });
  const queue = async () => (await t.client.request("get_queue", { sessionId: t.sessionId })).items;
  await expect.poll(async () => (await queue()).length).toBe(1);
  expect(JSON.stringify((await queue())[0])).toMatch(new RegExp(`${child?.sessionId}.*It was interrupted`));
  expect([
    (await t.client.request("get_status", { sessionId: t.sessionId })).running,
    t.server.requests.length,
  ]).toEqual([false, 3]);
  // It is queued only once, however often the session is opened.
  await t.client.request("close_session", { sessionId: t.sessionId });
  await t.client.request("load_session", { sessionId: t.sessionId });
  expect((await queue()).length).toBe(1);
});

it("cancelling the turn leaves a background subagent working, and closing its session, as deleting does first, ends it", async () => {
  await using t = await working({ "Go.": [behind("Look"), [hang()]], Look: [[hang()]] });
  await expect.poll(() => t.server.requests.length).toBe(3);
  await t.client.request("cancel", { sessionId: t.sessionId });
  await t.outcome();
  const running = async () => (await childrenOf(t.client, t.sessionId)).map((each) => each.running);
  expect(await running()).toEqual([true]);
  const [child] = await childrenOf(t.client, t.sessionId);
  await t.client.request("close_session", { sessionId: t.sessionId });
  const all = async () => (await t.client.request("list_sessions", { children: true })).sessions;
  await expect
    .poll(async () => (await all()).find((each) => each.sessionId === child?.sessionId)?.running)
    .toBe(undefined);
});
