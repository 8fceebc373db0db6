import { expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { lastText, server, type Talk, talk, testClock } from "./setup.ts";

const form = {
  message: "Who are you?\u001b[31m",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name" },
      size: { type: "string", enum: ["small", "large"] },
      age: { type: "integer" },
      news: { type: "boolean" },
    },
    required: ["name"],
  },
};
const servers = [server("test", ["--only=ask,sample,log"])];

/**
 * Sends a message, answers the questions of its turn with these answers, and returns the questions and the result of
 * the first call.
 */
async function answering(t: Talk, answers: readonly (string | null)[]) {
  const before = t.model.requests.length;
  const { id } = await t.begin("Go.");
  const questions = () => t.heard.filter(({ type }) => type === "approval_request");
  const first = questions().length;
  for (const [at, answer] of answers.entries()) {
    await expect.poll(() => questions().length).toBeGreaterThan(first + at);
    const { requestId } = questions()[first + at];
    await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer });
  }
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  const titles = questions()
    .slice(first)
    .map(({ title }) => title);
  return { titles, result: lastText(t.model.requests[before + 1] as never) };
}

const asks = (args: object) => [toolCall("mcp__test__ask", args), text("Done.")];

it("a form of a server is a question for each field, which says who asks", async () => {
  await using t = await talk([...asks(form), ...asks(form), ...asks(form)], { servers, attending: true });
  const { titles, result } = await answering(t, ["y", "Bob", "2", "41", "y"]);
  expect(titles[0]).toBe(
    "The MCP server test asks you something:\nWho are you?\n\nIt gets your answers about Name, size, age, news. Do not give it passwords. Answer?",
  );
  expect(titles.slice(1)).toEqual([
    "test: Name",
    "test: size (may stay empty)",
    "test: age (may stay empty)",
    "test: news",
  ]);
  expect(JSON.parse(result)).toEqual({
    action: "accept",
    content: { name: "Bob", size: "large", age: 41, news: true },
  });
  expect((await answering(t, ["n"])).result).toBe('{"action":"decline"}');
  expect((await answering(t, ["y", null])).result).toBe('{"action":"cancel"}');
});

it("fields that are left as they are have the defaults of the form, or stay empty", async () => {
  const properties = {
    name: { type: "string", default: "Ann\u001b[2J" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    state: {
      type: "string",
      oneOf: [
        { const: "on", title: "Active" },
        { const: "off", title: "Off" },
      ],
      default: "off",
    },
    isNew: { type: "boolean", default: true },
    size: { type: "string", enum: ["small", "large"], enumNames: ["Small one", "Large one"] },
  };
  const asked = { message: "?", requestedSchema: { type: "object", properties } };
  await using t = await talk([...asks(asked), ...asks(asked)], { servers, attending: true });
  const { titles, result } = await answering(t, ["y", "", "many", "41", "", "2", "y", "0"]);
  expect(titles.slice(1)).toEqual([
    "test: name (else Ann)",
    "test: age (else 30)",
    "test: A whole number, please. age (else 30)",
    "test: score (else 95.5)",
    "test: state (else Off)",
    "test: isNew",
    "test: size (may stay empty)",
  ]);
  expect(JSON.parse(result)).toEqual({
    action: "accept",
    content: { name: "Ann\u001b[2J", age: 41, score: 95.5, state: "off", isNew: true },
  });
  const question = t.heard.find(({ title }) => title === "test: size (may stay empty)");
  expect(question).toMatchObject({
    options: [
      { value: "1", label: "Small one" },
      { value: "2", label: "Large one" },
      { value: "0", label: "(leave it empty)" },
    ],
    fallback: "0",
  });
  expect((await answering(t, ["y", "", null])).result).toBe('{"action":"cancel"}');
});

it("an answer that does not keep to the limits of its field is asked for again, and never sent", async () => {
  const properties = {
    age: { type: "integer", minimum: 1, maximum: 120, default: 200 },
    share: { type: "number", minimum: 0.5 },
    name: { type: "string", minLength: 2, maxLength: 3 },
    mail: { type: "string", format: "email", default: "nobody" },
    page: { type: "string", format: "uri", maxLength: 30 },
    day: { type: "string", format: "date" },
    time: { type: "string", format: "date-time" },
  };
  const asked = { message: "?", requestedSchema: { type: "object", properties, required: Object.keys(properties) } };
  await using t = await talk(asks(asked), { servers, attending: true });
  const answers = [
    ...["121", "0", "1.5", "", "120"],
    ...["Infinity", "0.4", "0.5"],
    ...["a", "abcd", "a😀b"],
    ...["Bob", "bob@example.com"],
    ...["example.com", "https://example.com/a/very/long/path", "https://example.com"],
    ...["31.1.2026", "2026-02-30", "2026-02-28"],
    ...["2026-02-28T10:00", "2026-02-28T10:00:00+01:00"],
  ];
  const { titles, result } = await answering(t, ["y", ...answers]);
  const note = "age (a whole number from 1 to 120)";
  expect(titles.slice(1, 4)).toEqual([
    `test: ${note}`,
    `test: A whole number from 1 to 120, please. ${note}`,
    `test: A whole number from 1 to 120, please. ${note}`,
  ]);
  const problems = titles.map((title) => /^test: (.*), please\. /.exec(title)?.[1]);
  expect([...new Set(problems.filter(Boolean))]).toEqual([
    ...["A whole number from 1 to 120", "A number of at least 0.5", "2 to 3 characters", "An email address"],
    ...["An address such as https://example.com of at most 30 characters", "A date such as 2026-01-31"],
    "A date and time such as 2026-01-31T12:00:00Z",
  ]);
  expect(JSON.parse(result)).toEqual({
    action: "accept",
    content: {
      ...{ age: 120, share: 0.5, name: "a😀b", mail: "bob@example.com", page: "https://example.com" },
      ...{ day: "2026-02-28", time: "2026-02-28T10:00:00+01:00" },
    },
  });
});

it("a person chooses as many options of a list as it allows", async () => {
  const options = ["red", "green", "blue"];
  const titled = options.map((value) => ({ const: value, title: `The ${value} one` }));
  const properties = {
    some: { type: "array", items: { type: "string", enum: options }, minItems: 1, maxItems: 2, title: "Colours" },
    named: { type: "array", items: { anyOf: titled }, default: ["red", "blue"] },
    none: { type: "array", items: { type: "string", enum: options } },
  };
  const asked = { message: "?", requestedSchema: { type: "object", properties, required: ["some"] } };
  await using t = await talk([...asks(asked), ...asks(asked)], { servers, attending: true });
  const { titles, result } = await answering(t, ["y", "", "1,2,3", "4", "pink", "2, Red", "", ""]);
  const rows = "\n  1 red\n  2 green\n  3 blue";
  const note = "Colours (numbers with commas between them, 1 to 2 of these)";
  expect(titles.slice(1)).toEqual([
    `test: ${note}${rows}`,
    ...Array(4).fill(`test: 1 to 2 of these, please. ${note}${rows}`),
    "test: named (numbers with commas between them, else 1, 3)\n  1 The red one\n  2 The green one\n  3 The blue one",
    `test: none (numbers with commas between them, may stay empty)${rows}`,
  ]);
  expect(JSON.parse(result)).toEqual({ action: "accept", content: { some: ["green", "red"], named: ["red", "blue"] } });
  const second = await answering(t, ["y", "3", "the green one,2", "1"]);
  expect(JSON.parse(second.result).content).toEqual({ some: ["blue"], named: ["green"], none: ["red"] });
});

it("an address is shown and never opened, and forms that cannot be asked are declined", async () => {
  const url = { mode: "url", message: "Pay.", url: "https://pay.example/1", elicitationId: "1" };
  const deep = { message: "?", requestedSchema: { type: "object", properties: { a: { type: "array", items: {} } } } };
  await using t = await talk([...asks(url), ...asks(deep)], { servers, attending: true });
  const { titles, result } = await answering(t, ["y"]);
  expect(titles[0]).toContain("https://pay.example/1\n\nScorel does not open it.");
  expect(result).toBe('{"action":"accept"}');
  expect((await answering(t, [])).result).not.toContain("accept");
});

it("a server that asks many questions at once gets a few through, and one that keeps asking is ignored after five noes", async () => {
  const plain = { message: "Go?", requestedSchema: { type: "object", properties: {} } };
  const often = (args: object) => [toolCall("mcp__test__askOften", { ...plain, ...args }), text("Done.")];
  await using t = await talk([...often({ times: 20, atOnce: true }), ...often({ times: 7 })], {
    servers: [server("test", ["--only=askOften"])],
    attending: true,
  });
  const many = (times: number, answer: string) => Array.from({ length: times }, () => answer);
  const atOnce = await answering(t, many(8, "y"));
  expect([atOnce.titles.length, atOnce.result]).toEqual([8, [...many(8, "accept"), ...many(12, "cancel")].join(" ")]);
  const again = await answering(t, many(5, "n"));
  expect([again.titles.length, again.result]).toEqual([5, many(7, "decline").join(" ")]);
  await t.client.drained(t.sessionId);
  expect(t.heard.map(({ code }) => code)).toContain("MCP_NO_MORE");
});

it("a field that gets ten answers that do not fit cancels its form", async () => {
  await using t = await talk(asks(form), { servers, attending: true });
  const { titles, result } = await answering(t, ["y", ...Array.from({ length: 10 }, () => " ")]);
  expect([titles.length, result]).toEqual([11, '{"action":"cancel"}']);
});

it("a question of a server that comes after its call does not stay open", async () => {
  await using t = await talk([toolCall("mcp__test__askLater", form), text("Done."), text("Bye.")], {
    servers: [server("test", ["--only=askLater,answers"])],
    attending: true,
  });
  await t.say("Go.");
  await t.say("And?");
  const open = async () => (await t.client.request("list_requests", { sessionId: t.sessionId })).requests;
  // A question that arrives together with the result of the call is withdrawn.
  await expect.poll(open).toEqual([]);
});

it("without a person, a form is cancelled", async () => {
  await using t = await talk(asks(form), { servers });
  expect((await answering(t, [])).result).toBe('{"action":"cancel"}');
});

it("the model answers a server only if the configuration and then a person allow it", async () => {
  const params = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 9 };
  const call = () => toolCall("mcp__test__sample", params);
  await using off = await talk([call(), text("Done.")], { servers, attending: true });
  expect((await answering(off, [])).result).toBe("refused");
  const config = { sampling: true };
  await using t = await talk([call(), text("4"), text("Done."), call(), text("Done.")], {
    servers,
    config,
    attending: true,
  });
  const { titles } = await answering(t, ["y"]);
  expect(titles[0]).toContain("wants your model to answer this, and gets the answer:\nuser: 2 + 2?");
  expect(lastText(t.model.requests[2] as never)).toBe("4");
  expect((await answering(t, ["n"])).result).toBe("refused");
});

it("a server that keeps asking for the model is ignored after five noes", async () => {
  const params = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 9 };
  const calls = Array.from({ length: 6 }, () => [toolCall("mcp__test__sample", params), text("Done.")]).flat();
  await using t = await talk(calls, { servers, config: { sampling: true }, attending: true });
  for (let no = 0; no < 5; no++) expect((await answering(t, ["n"])).titles).toHaveLength(1);
  expect(await answering(t, [])).toEqual({ titles: [], result: "refused" });
  await t.client.drained(t.sessionId);
  expect(t.heard.map(({ code }) => code)).toContain("MCP_NO_MORE");
});

it("errors that a server logs are reported, without control characters, and other log messages are not", async () => {
  await using t = await talk([toolCall("mcp__test__log", {}), text("Done.")], { servers });
  await t.say("Go.");
  await t.client.drained(t.sessionId);
  const said = JSON.stringify(t.heard);
  expect(said).toContain('The MCP server \\"test\\" reports an error: error of the disk.');
  expect(said).not.toContain("info of the disk");
});

const plain = { message: "?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const waiting = [server("test", ["--only=ask,askAndWait,answers,never,sample"], { timeout: 7 })];

/** The open questions of a session. */
async function open({ client, sessionId }: Talk) {
  const { requests } = await client.request("list_requests", { sessionId });
  return requests as { requestId: string; title: string }[];
}

/** Answers the next question. */
async function answer(t: Talk, given: string) {
  await expect.poll(() => open(t)).toHaveLength(1);
  const [question] = await open(t);
  const { requestId = "" } = question ?? {};
  await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: given });
}

it("the time limit of a call is paused while a person answers, and continues afterwards", async () => {
  const { clock, pending } = testClock();
  await using t = await talk([toolCall("mcp__test__askAndWait", plain), text("Done.")], {
    ...{ servers: waiting, attending: true, clock },
  });
  const limits = () => pending.filter(({ ms }) => ms === 7_000);
  const { id } = await t.begin("Go.");
  await expect.poll(() => open(t)).toHaveLength(1);
  expect(limits()).toEqual([]);
  await answer(t, "y");
  await expect.poll(async () => (await open(t))[0]?.title).toBe("test: name (may stay empty)");
  expect(limits()).toEqual([]);
  await answer(t, "Bob");
  await expect.poll(limits).toHaveLength(1);
  limits()[0]?.work();
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  expect(lastText(t.model.requests[1] as never)).toContain("did not answer askAndWait for 7 s");
});

it("the time limit of a call is paused while a person is asked about a call of the model", async () => {
  const { clock, pending } = testClock();
  const params = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 9 };
  await using t = await talk([toolCall("mcp__test__sample", params), text("4"), text("Done.")], {
    ...{ servers: waiting, config: { sampling: true }, attending: true, clock },
  });
  const { id } = await t.begin("Go.");
  await expect.poll(() => open(t)).toHaveLength(1);
  expect(pending.filter(({ ms }) => ms === 7_000)).toEqual([]);
  await answer(t, "y");
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  expect(lastText(t.model.requests[2] as never)).toBe("4");
});

it("a form is withdrawn when its call is cancelled, and no answer reaches the server", async () => {
  const script = [toolCall("mcp__test__ask", plain), toolCall("mcp__test__answers", {}), text("Done.")];
  await using t = await talk(script, { servers: waiting, attending: true });
  await t.begin("Go.");
  await answer(t, "y");
  await expect.poll(async () => (await open(t))[0]?.title).toBe("test: name (may stay empty)");
  const [question] = await open(t);
  await t.client.request("cancel", { sessionId: t.sessionId });
  await expect.poll(() => open(t)).toEqual([]);
  const ends = () =>
    t.heard.filter(({ type, requestId }) => type === "approval_answer" && requestId === question?.requestId);
  await expect.poll(ends).toMatchObject([{ answer: null }]);
  const late = t.client.request("answer_request", {
    sessionId: t.sessionId,
    requestId: question?.requestId ?? "",
    answer: "Bob",
  });
  await expect(late).rejects.toMatchObject({ code: "REQUEST_CLOSED" });
  const requests = await t.say("What did it get?");
  expect(JSON.parse(lastText(requests[1] as never)).slice(1)).toEqual([{ action: "cancel" }]);
});

it("a form is withdrawn when its server dies, and when it is restarted", async () => {
  const script = [
    ...[toolCall("mcp__test__answers", {}), toolCall("mcp__test__ask", plain), text("It died.")],
    ...[toolCall("mcp__test__ask", plain), text("It was started anew.")],
  ];
  await using t = await talk(script, { servers: waiting, attending: true });
  const { id } = await t.begin("Go.");
  await expect.poll(() => open(t)).toHaveLength(1);
  process.kill(JSON.parse(lastText(t.model.requests[1] as never))[0]);
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  expect(await open(t)).toEqual([]);
  const again = await t.begin("Again.");
  await expect.poll(() => open(t)).toHaveLength(1);
  await t.client.request("restart_mcp_server", { sessionId: t.sessionId, name: "test" });
  await t.client.request("wait_turn", { sessionId: t.sessionId, id: again.id });
  expect(await open(t)).toEqual([]);
});
