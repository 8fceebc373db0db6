import { expect, it } from "vitest";
import { delayUntil, gate, text } from "../model-server.ts";
import { people } from "./chat-people.ts";

const CTRL_C = "\u0003";

it("everybody who watches a turn can cancel it with Ctrl-C, and leave with the next Ctrl-C", async () => {
  await using t = await people(() => [text("words "), delayUntil(new Promise(() => {}))]);
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await Promise.all([anna.shows("words"), ben.shows("words")]);
  ben.type(CTRL_C);
  await Promise.all([anna.shows("(cancelled by terminal-2)"), ben.shows("(cancelled)")]);
  expect((await t.client.request("get_status", { sessionId: t.sessionId })).running).toBe(false);
  ben.type(CTRL_C);
  expect(await ben.code).toBe(0);
  anna.type("/exit\r");
  expect(await anna.code).toBe(0);
});

it("Ctrl-C withdraws only one's own messages, and those of others are answered", async () => {
  await using t = await people((index) =>
    index === 0 ? [text("words "), delayUntil(new Promise(() => {}))] : [text(`answer ${index}`)],
  );
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await ben.shows("words");
  ben.type("and Ben's\r");
  await ben.shows("(queued:");
  anna.type("and Anna's\r");
  await anna.shows("(queued:");
  anna.type(CTRL_C);
  await anna.shows("(your queued messages were taken back)");
  await Promise.all([anna.shows("(cancelled)"), ben.shows("(cancelled by terminal)")]);
  await Promise.all([anna.shows("answer 1"), ben.shows("answer 1")]);
  await anna.shows("> and Anna's");
  const { messages } = await t.client.request("get_context", { sessionId: t.sessionId });
  const said = messages.flatMap(({ role, content }) => (role === "user" ? String(content) : []));
  expect(said).toEqual(["go", "and Ben's"]);
  anna.type(`${CTRL_C}/exit\r`);
  ben.type("/exit\r");
  expect(await Promise.all([anna.code, ben.code])).toEqual([0, 0]);
});

it("a person who leaves ends neither the turn of others nor their messages", async () => {
  const finishing = gate();
  await using t = await people((index) =>
    index === 0 ? [text("begun "), delayUntil(finishing.promise), text("finished")] : [text("second")],
  );
  const [anna, ben] = [await t.person(), await t.person()];
  anna.type("go\r");
  await ben.shows("begun");
  ben.end();
  expect(await ben.code).toBe(0);
  expect(ben.screen()).not.toContain("has left");
  await anna.shows("(terminal-2 has left)");
  finishing.open();
  await anna.shows("finished");
  anna.type("/exit\r");
  expect(await anna.code).toBe(0);
});
