import type { Mode } from "@scorel/permissions/contract";
import { expect, it } from "vitest";
import { findSession } from "../../../plugins/host/client/find-session.ts";
import {
  delayUntil,
  gate,
  hang,
  type RecordedRequest,
  type Reply,
  status,
  text,
  toolCall,
} from "../../model-server.ts";
import { childrenOf, resultsIn, task, toolsIn, used, wordsOf, working } from "./working.ts";

it("a task is done in a separate session, and its report and usage are returned", async () => {
  await using t = await working({
    "Go.": [
      [task("Touch it", "Touch @notes.txt."), used(10)],
      [text("Done."), used(20)],
    ],
    "Touch @notes.txt.": [
      [toolCall("Touch", {}), used(100)],
      [text("I touched it."), used(200)],
    ],
  });
  const { text: last, usage: total } = await t.outcome();
  expect({ last, input: total.input, output: total.output }).toEqual({ last: "Done.", input: 330, output: 4 });
  const [child, ...others] = await childrenOf(t.client, t.sessionId);
  expect([child, others]).toMatchObject([{ kind: "subagent", name: "Touch it" }, []]);
  const [result] = await resultsIn(t.client, t.sessionId);
  expect(child?.parent).toEqual({ sessionId: t.sessionId, toolCallId: result.toolCallId });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "I touched it." }],
    details: { sessionId: child?.sessionId },
    isError: false,
    usage: { input: 300, output: 2, sessionId: child?.sessionId },
  });
  await t.client.drained(t.sessionId);
  const shown = t.heard.flatMap(({ type, partial }) => (type === "tool_execution_update" ? [partial] : []));
  expect(shown.map(({ content }) => content[0].text)).toContainEqual(
    expect.stringMatching(new RegExp(`^Session ${child?.sessionId}\n\\[Touch\\]`)),
  );
  expect(shown.at(-1).usage).toMatchObject({ input: 300, output: 2 });
});

it("lists leave subagents out, and --continue never picks one", async () => {
  await using t = await working({ "Go.": [task("One"), text("Done.")], One: [text("Report.")] });
  await t.outcome();
  const { sessions } = await t.client.request("list_sessions", { cwd: t.home.cwd });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([t.sessionId]);
});

it("a subagent's session is found by its id alone, so that people can attach to it", async () => {
  await using t = await working({ "Go.": [task("One"), text("Done.")], One: [text("Report.")] });
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  const { sessionId } = child as { sessionId: string };
  expect(await findSession(t.client, sessionId.slice(0, 8), t.home.cwd)).toBe(sessionId);
  await expect(findSession(t.client, "One", t.home.cwd)).rejects.toMatchObject({ code: "RESUME_UNKNOWN" });
});

it("a subagent's question is asked in the parent, with the name of the task", async () => {
  await using t = await working(
    {
      "Go.": [task("Touch it"), text("Done.")],
      "Touch it": [toolCall("Touch", {}), text("I touched it.")],
    },
    { permission: "ask", attending: true },
  );
  const question = () => t.heard.find(({ type }) => type === "approval_request");
  await expect.poll(question).toMatchObject({ title: "Touch it: Use the tool Touch?", plugin: "subagents" });
  const { requestId } = question();
  await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  expect(await resultsIn(t.client, child?.sessionId as string)).toMatchObject([{ isError: false }]);
});

it.each<[Mode, boolean]>([
  ["plan", true],
  ["ask", true],
  ["full", false],
])("in mode %s, which nobody watches, a subagent may do no more than its parent", async (permission, isError) => {
  await using t = await working(
    { "Go.": [task("Touch it"), text("Done.")], "Touch it": [toolCall("Touch", {}), text("The end.")] },
    { permission },
  );
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  expect(await resultsIn(t.client, child?.sessionId as string)).toMatchObject([{ isError }]);
});

it("subagents can have subagents, which cannot have any", async () => {
  await using t = await working({
    "Go.": [
      [task("Outer"), used(1)],
      [text("Done."), used(2)],
    ],
    Outer: [
      [task("Inner"), used(10)],
      [text("Outer report."), used(20)],
    ],
    Inner: [[text("Inner report."), used(100)]],
  });
  expect((await t.outcome()).usage.input).toBe(133);
  const offered = t.server.requests.map((request) => [wordsOf(request).first, toolsIn(request).includes("Task")]);
  expect(Object.fromEntries(offered)).toEqual({ "Go.": true, Outer: true, Inner: false });
  const [outer] = await childrenOf(t.client, t.sessionId);
  expect(await resultsIn(t.client, outer?.sessionId as string)).toMatchObject([
    { content: [{ text: "Inner report." }], usage: { input: 100 } },
  ]);
  const updates = t.heard.filter(({ type }) => type === "tool_execution_update");
  expect(updates.at(-1).partial.usage.input).toBe(130);
});

it("tasks of one reply run at the same time, as many as are configured", async () => {
  const open = gate();
  const held = (report: string): Reply[] => [[delayUntil(open.promise), text(report)]];
  await using t = await working(
    {
      "Go.": [[task("A"), task("B"), task("C")], text("Done.")],
      ...{ A: held("a"), B: held("b"), C: held("c") },
    },
    { parallel: 2 },
  );
  const begun = () => t.server.requests.map((request) => wordsOf(request).first).sort();
  await expect.poll(begun).toEqual(["A", "B", "Go."]);
  expect(await childrenOf(t.client, t.sessionId)).toHaveLength(2);
  open.open();
  await t.outcome();
  expect((await resultsIn(t.client, t.sessionId)).map(({ content }) => content[0].text).sort()).toEqual([
    "a",
    "b",
    "c",
  ]);
});

it("cancelling the parent cancels its subagents and theirs, and those that wait never begin", async () => {
  await using t = await working(
    { "Go.": [[task("Outer"), task("Waiting")]], Outer: [task("Inner")], Inner: [hang()], Waiting: [text("no")] },
    { parallel: 1 },
  );
  await expect.poll(() => t.server.requests.map((request) => wordsOf(request).first)).toContain("Inner");
  await t.client.request("cancel", { sessionId: t.sessionId });
  expect((await t.outcome()).reason).toBe("cancelled");
  const [outer, ...others] = await childrenOf(t.client, t.sessionId);
  expect(others).toEqual([]);
  const [inner] = await childrenOf(t.client, outer?.sessionId as string);
  for (const child of [outer, inner])
    await expect
      .poll(async () => (await t.client.request("list_sessions", { children: true })).sessions)
      .not.toContainEqual(expect.objectContaining({ sessionId: child?.sessionId, running: true }));
  expect(t.server.requests.map((request) => wordsOf(request).first)).not.toContain("Waiting");
});

it("a subagent that is cancelled, that fails or that returns nothing is an error, and the parent continues", async () => {
  await using t = await working({
    "Go.": [[task("Held"), task("Failing"), task("Silent")], text("Done.")],
    Held: [hang()],
    Failing: [status(400, { error: { message: "no" } })],
    Silent: [text(" ")],
  });
  const held = async () => (await childrenOf(t.client, t.sessionId)).find(({ name }) => name === "Held");
  await expect.poll(() => t.server.requests.map((request) => wordsOf(request).first)).toContain("Held");
  const { sessionId } = (await held()) as { sessionId: string };
  await t.client.request("cancel", { sessionId });
  expect((await t.outcome()).text).toBe("Done.");
  const results = await resultsIn(t.client, t.sessionId);
  // Results are stored in the order in which the calls end.
  const told = results.map(({ isError, content }) => [isError, content[0].text.replace(/session [\w-]+/, "session 1")]);
  expect(told.sort()).toEqual([
    [true, expect.stringContaining("Somebody cancelled the subagent (session 1) before its work was done.")],
    [true, expect.stringContaining("The subagent (session 1) ended without a report.")],
    [true, "The subagent (session 1) failed: The model call failed: 400 no"],
  ]);
});

it("a report that is too long is cut, and this is stated", async () => {
  const long = "x".repeat(40_000);
  await using t = await working({ "Go.": [task("Long"), text("Done.")], Long: [text(long)] });
  await t.outcome();
  const [{ content }] = await resultsIn(t.client, t.sessionId);
  expect(content[0].text).toBe(
    `${"x".repeat(30_000)}\n[10000 more characters of this report were left out. Ask for a shorter one.]`,
  );
});

it("a copy of a subagent's session is as deep as that one", async () => {
  await using t = await working({
    "Go.": [task("Outer"), text("Done.")],
    Outer: [task("Inner"), text("Outer report."), text("Still none.")],
    Inner: [text("Inner report."), text("Again.")],
  });
  await t.outcome();
  const [outer] = await childrenOf(t.client, t.sessionId);
  const [inner] = await childrenOf(t.client, outer?.sessionId as string);
  const { sessionId } = await t.client.request("clone_session", { sessionId: inner?.sessionId as string });
  const { id } = await t.client.request("send_message", { sessionId, content: "And now?" });
  await t.client.request("wait_turn", { sessionId, id });
  expect(toolsIn(t.server.requests.at(-1) as RecordedRequest)).not.toContain("Task");
});

it("a subagent of a session in memory is in memory, too", async () => {
  await using t = await working({ "Go.": [task("One"), text("Done.")], One: [text("Report.")] }, { unsaved: true });
  expect((await t.outcome()).text).toBe("Done.");
  expect(t.home.files()).toEqual([]);
});
