import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { testHeader } from "../../harness.ts";
import { firstOf, open } from "./setup.ts";

describe("a question", () => {
  it("gets its default and is not logged if nobody can answer", async () => {
    await using t = await open();
    expect(await t.ctx.requests.confirm("Sure?")).toBe(false);
    expect(await t.ctx.requests.confirm("Sure?", true)).toBe(true);
    expect(await t.ctx.requests.input("Name?", "Ann")).toBe("Ann");
    expect(await t.ctx.requests.select("Which?", [{ value: "a", label: "A" }], "a")).toBe("a");
    expect(t.stored()).toEqual([]);
  });

  it("is logged with its answer, outside of the conversation, with who asked and who answered", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const answer = t.ctx.requests.confirm("Sure?");
    const { requestId } = await firstOf(t.kernel);
    await t.run("answer_request", { requestId, answer: "y", reason: "looks good" }, "client2");
    expect(await answer).toBe(true);
    expect(t.stored()).toMatchObject([
      { type: "approval_request", requestId, plugin: "asker", kind: "confirm", title: "Sure?" },
      { type: "approval_answer", requestId, answer: "y", reason: "looks good", clientId: "client2" },
    ]);
    expect([t.session.activeLeaf, t.open()]).toEqual([null, []]);
  });

  it("gets its default when 200 others are open, and is asked when one of them is answered", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const all = Array.from({ length: 200 }, () => t.ctx.requests.ask({ kind: "input", title: "Name?" }));
    await expect.poll(() => t.open().length).toBe(200);
    expect(await t.ctx.requests.ask({ kind: "input", title: "Once more?" })).toEqual({
      answer: null,
      reason: "too many questions are open",
    });
    await t.run("answer_request", { requestId: t.open()[0]?.requestId, answer: "Ann" });
    expect(await Promise.race(all)).toMatchObject({ answer: "Ann" });
    void t.ctx.requests.ask({ kind: "input", title: "And now?" });
    await expect.poll(() => t.open().some(({ title }) => title === "And now?")).toBe(true);
  });

  it("takes the first answer, and counts a repeated message once", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const answer = t.ctx.requests.select(
      "Which?",
      [
        { value: "a", label: "A", message: "go" },
        { value: "b", label: "B" },
      ],
      "b",
    );
    const { requestId } = await firstOf(t.kernel);
    await expect(t.run("answer_request", { requestId, answer: "c" })).rejects.toMatchObject({ code: "REQUEST_ANSWER" });
    const first = { requestId, answer: "a", messageId: "m1" };
    const outcomes = await Promise.allSettled([
      t.run("answer_request", first),
      t.run("answer_request", first),
      t.run("answer_request", { requestId, answer: "b" }, "client2"),
      t.run("answer_request", { requestId, answer: "b", messageId: "m2" }, "client3"),
    ]);
    expect(await answer).toBe("a");
    const values = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.message : outcome.reason.code,
    );
    expect(values).toEqual(["go", "go", "REQUEST_CLOSED", "REQUEST_CLOSED"]);
    expect((await t.run("answer_request", first)).message).toBe("go");
    await expect(t.run("answer_request", { ...first, answer: "b" })).rejects.toMatchObject({
      code: "MESSAGE_ID_REUSED",
    });
    expect(t.stored().filter(({ type }) => type === "approval_answer")).toHaveLength(1);
    const clientId = "terminal-4fGh4fGh4fGh4fGh";
    const second = t.ctx.requests.confirm("Sure?");
    await expect.poll(() => t.open()).toHaveLength(1);
    const next = t.open()[0]?.requestId as string;
    await t.run("answer_request", { requestId: next, answer: "y", reason: "fine" }, clientId);
    await second;
    await expect(t.run("answer_request", { requestId: next, answer: "n" })).rejects.toMatchObject({
      code: "REQUEST_CLOSED",
      message: `The question ${next} is not open: terminal has answered "y" (fine). list_requests shows the open questions.`,
      data: { id: next, clientId, client: "terminal", answer: "y", reason: "fine" },
    });
  });

  it("accepts a lasting answer only from clients that may do everything", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const choices = [
      { value: "a", label: "always", lasting: true },
      { value: "b", label: "once" },
    ];
    const answer = t.ctx.requests.select("Which?", choices, "b");
    const { requestId } = await firstOf(t.kernel);
    const operations: any = Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
    const assertOperations = (needed: unknown) => {
      if (needed === "all") throw new Error("not everything");
    };
    const phone = { clientId: "phone", assertOperations };
    const given = (answer: string) =>
      operations.answer_request.run({ sessionId: t.session.id, requestId, answer }, phone);
    await expect(given("a")).rejects.toThrow("not everything");
    await given("b");
    expect(await answer).toBe("b");
  });

  it("accepts an answer with a further effect only from a client that may call the operation for it", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const options = [
      { value: "m", label: "yes, and change the mode", needs: "set_permission" },
      { value: "y", label: "yes" },
    ];
    const answer = t.ctx.requests.ask({ kind: "select", title: "Do it?", options });
    const { requestId } = await firstOf(t.kernel);
    const operations: any = Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
    const assertOperations = (needed: unknown) => {
      throw new Error(`may not ${needed}`);
    };
    const phone = { clientId: "phone", assertOperations };
    const given = (value: string) =>
      operations.answer_request.run({ sessionId: t.session.id, requestId, answer: value }, phone);
    await expect(given("m")).rejects.toThrow("may not set_permission");
    await given("y");
    expect(await answer).toEqual({ answer: "y" });
  });

  it("is not found by names that every object has", async () => {
    await using t = await open();
    for (const requestId of ["__proto__", "constructor", "toString"])
      await expect(t.run("answer_request", { requestId, answer: "y" })).rejects.toMatchObject({
        code: "REQUEST_CLOSED",
      });
  });

  it("is shown to clients that attach later, until it is answered", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const answer = t.ctx.requests.input("Name?");
    const { requestId } = await firstOf(t.kernel);
    expect((await t.run("attend_requests", {}, "client2")).requests).toEqual([
      { requestId, plugin: "asker", kind: "input", title: "Name?", fallback: "" },
    ]);
    await t.run("answer_request", { requestId, answer: "Ann" });
    expect([await answer, await t.run("list_requests")]).toEqual(["Ann", { requests: [], statuses: [], panels: [] }]);
  });

  it("cannot be answered after it is withdrawn or its session closes", async () => {
    const t = await open();
    await t.run("attend_requests");
    const control = new AbortController();
    const taken = t.ctx.requests.confirm("One?", true, { signal: control.signal });
    const { requestId } = await firstOf(t.kernel);
    control.abort(new Error("never mind"));
    await expect(taken).rejects.toThrow("never mind");
    await expect(t.run("answer_request", { requestId, answer: "y" })).rejects.toMatchObject({
      code: "REQUEST_CLOSED",
      data: { id: requestId, answer: null, why: "it was withdrawn" },
    });
    const alone = t.ctx.requests.confirm("Alone?", true);
    await firstOf(t.kernel);
    await t.run("attend_requests", { attending: false });
    expect(await alone).toBe(true);
    await t.run("attend_requests");
    const left = t.ctx.requests.confirm("Two?", true);
    await firstOf(t.kernel);
    await t[Symbol.asyncDispose]();
    expect(await left).toBe(true);
    const answers = t.stored().filter(({ type }) => type === "approval_answer");
    expect(answers).toMatchObject([
      { answer: null, reason: "it was withdrawn" },
      { answer: null, reason: "nobody is there any more to answer" },
      { answer: null, reason: "the session was closed" },
    ]);
  });

  it("is void after its host was killed; late answers are refused", async () => {
    const request = { type: "approval_request", requestId: "r1", plugin: "asker", kind: "confirm", title: "Sure?" };
    const record = {
      ...request,
      id: "e1",
      parentId: null,
      seq: 1,
      sessionId: testHeader.sessionId,
      clientId: "x",
      ts: 1,
    };
    const store = createMemoryStore(testHeader, [record]);
    await using t = await open({ store });
    expect(t.open()).toHaveLength(1);
    t.session.emit("session_start", {});
    await t.kernel.drained();
    await expect.poll(() => t.open()).toEqual([]);
    expect(t.session.tree.last).toMatchObject({
      requestId: "r1",
      answer: null,
      reason: "the host ended while it was open",
    });
    expect(t.session.display(t.session.tree.last as never)).toMatchObject({
      text: "Scorel stopped while it was asking you. Ask again if it is still needed.",
    });
    await expect(t.run("answer_request", { requestId: "r1", answer: "y" })).rejects.toMatchObject({
      code: "REQUEST_CLOSED",
      message: expect.stringContaining("it was withdrawn (the host ended while it was open)"),
    });
    await expect(t.run("answer_request", { requestId: "r9", answer: "y" })).rejects.toMatchObject({
      data: { id: "r9", why: "this session never had it" },
    });
  });
});
