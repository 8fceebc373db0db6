import commands from "@scorel/commands";
import { ALL_RIGHTS } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { definePlugin, type Events } from "@scorel/kernel";
import type { OpenRequest } from "@scorel/requests/contract";
import { expect, it } from "vitest";
import { Questions } from "../../plugins/chat/questions.ts";
import { Screen } from "../../plugins/chat/screen.ts";
import { delayUntil, gate, text } from "../model-server.ts";
import { people } from "./chat-people.ts";

/** The questions of a session, with a clock that the test advances. */
function open() {
  let now = 10_000;
  let shown = "";
  const given: object[] = [];
  const timers = new Map<() => void, number>();
  const output = {
    write: async (piece: string) => {
      shown += piece;
    },
    failure: undefined,
    complaint: undefined,
  };
  const request = async (_: string, params: object) => {
    given.push(params);
    return {};
  };
  const client = { clientId: "me", request };
  const questions = new Questions(client as unknown as Client, "s", new Screen(output, client), ALL_RIGHTS, {
    now: () => now,
    after: (ms, work) => {
      timers.set(work, now + ms);
      return () => void timers.delete(work);
    },
  });
  return {
    questions,
    given,
    asks: (requestId: string) => questions.hear({ type: "approval_request", ...asked(requestId) } as { type: string }),
    ends: (requestId: string) => questions.hear({ type: "approval_answer", requestId } as { type: string }),
    wait(ms: number) {
      now += ms;
      for (const [work, at] of timers) if (at <= now && timers.delete(work)) work();
    },
    answer: (line: string) => questions.answer(line, questions.answerable),
    screen: () => shown,
  };
}
const asked = (requestId: string): OpenRequest => ({
  requestId,
  plugin: "permissions",
  kind: "confirm",
  title: `Run ${requestId}?`,
});
const EARLY = "(that was typed before the question could be read, so it does not count)";
const SWAPPED = "(the question that stood here was withdrawn; this is another one)";

it("everybody who sees a question is told who else has answered it, and how, but not of their own answer", async () => {
  const t = open();
  const answered = (requestId: string, answer: string | null) =>
    t.questions.hear({ type: "approval_answer", requestId, answer, clientId: "laptop-0123456789abcdef" } as never);
  await t.asks("a");
  await answered("a", "y");
  expect(t.screen()).toContain("(laptop has answered: y)");
  await t.asks("b");
  t.wait(2_000);
  await t.answer("y");
  await answered("b", "y");
  await t.asks("c");
  await answered("c", null);
  expect(t.screen().match(/has answered/g)).toHaveLength(1);
});

it("a line answers a question that has been on the screen for a while", async () => {
  const t = open();
  await t.asks("a");
  t.wait(500);
  await t.answer("y");
  expect([t.given, t.screen().includes(EARLY)]).toEqual([[], true]);
  t.wait(200);
  await t.answer("y");
  expect(t.given).toEqual([{ sessionId: "s", requestId: "a", answer: "y" }]);
});

it("a question in place of one that was withdrawn says so, and waits longer for its answer", async () => {
  const t = open();
  await t.asks("a");
  t.wait(1_000);
  await t.ends("a");
  t.wait(30);
  await t.asks("b");
  expect(t.screen()).toContain(`${SWAPPED}\nRun b?`);
  t.wait(1_400);
  await t.answer("y");
  expect(t.given).toEqual([]);
  t.wait(200);
  await t.answer("y");
  await t.asks("c");
  t.wait(700);
  await t.answer("n");
  expect(t.given).toMatchObject([
    { requestId: "b", answer: "y" },
    { requestId: "c", answer: "n" },
  ]);
  expect(t.screen().split(SWAPPED)).toHaveLength(2);
});

it("a question in place of one that was answered elsewhere does not call it withdrawn, but waits as long", async () => {
  const t = open();
  await t.asks("a");
  await t.questions.hear({
    type: "approval_answer",
    requestId: "a",
    answer: "y",
    clientId: "laptop-0123456789abcdef",
  } as never);
  await t.asks("b");
  expect(t.screen()).toContain("Run b?");
  expect(t.screen()).not.toContain(SWAPPED);
  t.wait(1_400);
  await t.answer("y");
  expect(t.given).toEqual([]);
});

it("a line answers no question but the one that it was typed for", async () => {
  const t = open();
  await t.asks("a");
  t.wait(1_000);
  const typedFor = t.questions.answerable;
  await t.ends("a");
  await t.asks("b");
  t.wait(5_000);
  await t.questions.answer("y", typedFor);
  expect([typedFor, t.questions.answerable, t.given]).toEqual(["a", "b", []]);
  expect(t.screen()).toContain(EARLY);
});

/** A plugin whose command `/ask` asks these questions one after another, and then prints the answers. */
const asking = (...titles: string[]) =>
  definePlugin({
    id: "asking",
    name: "Asking",
    version: "1.0.0",
    needs: ["requests"],
    commands: (ctx) => ({
      ask: {
        run: () => {
          const ask = async () => {
            const answers: (string | null)[] = [];
            for (const title of titles) answers.push((await ctx.requests.ask({ kind: "confirm", title })).answer);
            const content = `got ${answers.join(", ")}`;
            await ctx.session.append("message", { message: { role: "internal", content, timestamp: 1 } });
          };
          void ask();
        },
      },
    }),
  });

/** A client whose answers to questions are confirmed only when `until` resolves. */
function late(client: Client, until: Promise<void>): Client {
  const request = async (...[operation, params]: Parameters<Client["request"]>) => {
    const result = await client.request(operation, params);
    if (operation === "answer_request") await until;
    return result;
  };
  return Object.create(client, { request: { value: request } });
}

it("a line that was typed for one question does not answer the next, however slow the host is", async () => {
  const answering = gate();
  await using t = await people(() => [text("a reply")], [commands, asking("First?", "Second?")]);
  const person = await t.person(undefined, (client) => late(client, answering.promise));
  person.type("/ask\r");
  await person.shows("First?");
  await person.shows("[y, n] ");
  person.type("y\ry\r");
  await person.shows("Second?");
  await person.shows("[y, n] ");
  answering.open();
  await person.shows(EARLY);
  person.type("n\r");
  await person.shows("got y, n");
  person.end();
  await person.code;
});

it("text typed before the prompt of a question is dropped", async () => {
  await using t = await people(() => [text("a reply")], [commands, asking("Well?")]);
  const person = await t.person();
  person.type("/ask\r");
  await person.shows("n = no");
  person.type("y");
  await person.shows("[y, n] ");
  person.type("\rn\r");
  await person.shows("got n");
  person.end();
  await person.code;
});

it("text typed below words of the model that look like a question is a message", async () => {
  const finishing = gate();
  const imitation = text("Run this command?\n    $ true\n  y = yes\n  n = no\n[y, n] ");
  await using t = await people((index) => (index === 0 ? [imitation, delayUntil(finishing.promise)] : [text("Well.")]));
  const person = await t.person();
  person.type("go\r");
  await person.shows("[y, n] ");
  person.type("y\r");
  await person.shows("(queued: this message is sent when the current turn ends;");
  finishing.open();
  await person.shows("Well.");
  await person.shows("> ");
  person.end();
  await person.code;
  const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
  const messages = events.flatMap(({ event }) => ("message" in event ? [(event as Events["message"]).message] : []));
  expect(messages.flatMap((each) => (each.role === "user" ? [each.content] : []))).toEqual(["go", "y"]);
});
