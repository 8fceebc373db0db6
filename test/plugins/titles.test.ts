import search from "@scorel/search";
import titles from "@scorel/titles";
import { expect, it } from "vitest";
import { delayUntil, gate, type RecordedRequest, type Reply, startModelServer, status, text } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { ask, testHome } from "./host/home.ts";

const isTitle = ({ body }: RecordedRequest) => JSON.stringify(body.messages[0]).includes("You name conversations");

/** A host whose sessions have the plugin. Its requests get replies of `title`, and all others the reply "hello". */
async function titling(title: () => Reply | Promise<Reply>) {
  const home = testHome();
  const asked: string[] = [];
  const server = await startModelServer((request) => {
    if (!isTitle(request)) return text("hello");
    asked.push(request.body.messages.at(-1).content);
    return title();
  });
  const open = () => agentHost(server.baseUrl, { host: [search], session: [titles] });
  return {
    home,
    asked,
    open,
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}
type Host = Awaited<ReturnType<typeof agentHost>>;

const listed = async ({ client }: Host) =>
  (await client.request("list_sessions", {})).sessions.map(({ name, title }) => name ?? title);
const noticesIn = async ({ client }: Host, sessionId: string) =>
  (await client.request("get_status", { sessionId })).notices.map(({ code }) => code);

it("a session gets a title from the model, once, and its usage is counted", async () => {
  await using t = await titling(() => text('# "Cart discounts".\nand more'));
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
  await ask(host.client, sessionId, "Why does total() forget the discount?");
  await expect.poll(() => listed(host)).toEqual(["Cart discounts"]);
  expect(t.asked).toEqual(["user: Why does total() forget the discount?\n\nassistant: hello\n\n"]);
  await ask(host.client, sessionId, "And now?");
  await host.client.request("close_session", { sessionId });
  await ask(host.client, sessionId, "And later?");
  const { sessionId: copy } = await host.client.request("clone_session", { sessionId });
  await ask(host.client, copy, "In the copy?");
  expect(await listed(host)).toEqual(["Cart discounts", "Cart discounts"]);
  expect(t.asked).toHaveLength(1);
  const { total } = await host.client.request("get_usage", {});
  expect(total.calls).toBe(5);
});

it.each([
  ["before its answer", "<think>\nThe user asks why.\n</think>\n\nCart discounts", "Cart discounts"],
  ["until it is cut", "<think>\nThe user asks why", "first words"],
])("thoughts that a model writes as text %s do not become the title", async (_, answer, title) => {
  await using t = await titling(() => text(answer));
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
  await ask(host.client, sessionId, "first words");
  const isTold = title === "first words";
  await expect.poll(() => noticesIn(host, sessionId)).toEqual(isTold ? ["TITLE_EMPTY"] : []);
  await expect.poll(() => listed(host)).toEqual([title]);
});

it.each(['Title: "Cart discounts"', "**Title:** Cart discounts", '**Title: "Cart discounts"**', "Titles: a list"])(
  "the answer %s becomes a title without its label and decoration",
  async (answer) => {
    await using t = await titling(() => text(answer));
    await using host = await t.open();
    const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
    await ask(host.client, sessionId, "first words");
    await expect.poll(() => listed(host)).toEqual([answer.startsWith("Titles") ? answer : "Cart discounts"]);
  },
);

it("a title is found within seconds in an answer with 100,000 quotes", async () => {
  await using t = await titling(() => text(`Carts${"'".repeat(100_000)}.x`));
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
  const began = performance.now();
  await ask(host.client, sessionId, "Why does total() forget the discount?");
  await expect.poll(() => listed(host)).toEqual(["Carts"]);
  expect(performance.now() - began).toBeLessThan(10_000);
});

it("a name given by a person wins, and a named session gets no title", async () => {
  await using t = await titling(() => text("A title"));
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd, name: "Mine" });
  await ask(host.client, sessionId, "hello");
  const { sessionId: unsaved } = await host.client.request("create_session", { cwd: t.home.cwd, unsaved: true });
  await ask(host.client, unsaved, "hello");
  const { sessionId: other } = await host.client.request("create_session", { cwd: t.home.cwd });
  await ask(host.client, other, "words of mine");
  // The last session got its title, so the requests for the others, if there were any, have been made.
  await expect.poll(() => listed(host)).toEqual(["A title", "Mine"]);
  expect(t.asked).toEqual(["user: words of mine\n\nassistant: hello\n\n"]);
});

it.each([
  ["fails", () => status(400, { error: { message: "no" } }), "AGENT_MODEL"],
  ["says nothing of use", () => text('""'), "TITLE_EMPTY"],
])("a model that %s leaves the first words, a notice, and is not asked again", async (_, answer, code) => {
  await using t = await titling(answer);
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
  await ask(host.client, sessionId, "first words");
  await expect.poll(() => noticesIn(host, sessionId)).toEqual([code]);
  await host.client.request("close_session", { sessionId });
  await ask(host.client, sessionId, "second words");
  expect(await listed(host)).toEqual(["first words"]);
  expect(t.asked).toHaveLength(1);
});

it("a title delays nothing, and a session that closes first asks after its next turn", async () => {
  const answering = gate();
  await using t = await titling(() => [delayUntil(answering.promise), text("Late")]);
  await using host = await t.open();
  const { sessionId } = await host.client.request("create_session", { cwd: t.home.cwd });
  await ask(host.client, sessionId, "first");
  await expect.poll(() => t.asked.length).toBe(1);
  await ask(host.client, sessionId, "second");
  await host.client.request("close_session", { sessionId });
  expect(await listed(host)).toEqual(["first"]);
  answering.open();
  await ask(host.client, sessionId, "third");
  await expect.poll(() => listed(host)).toEqual(["Late"]);
  expect(t.asked).toHaveLength(2);
});
