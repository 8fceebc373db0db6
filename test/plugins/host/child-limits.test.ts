import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@scorel/host/contract";
import { definePlugin, type KernelEntry } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import type {} from "@scorel/permissions/contract";
import requests from "@scorel/requests";
import sandbox from "@scorel/sandbox";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startModelServer, text, toolCall } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";

/** Settings of one session; each plugin has a table. */
interface Settings {
  permissions?: object;
  tools?: object;
  sandbox?: object;
}

const params = z.strictObject({ sessionId: z.string() });
const weather = tool("Weather", async () => says("sunny"), {
  access: () => "exclusive",
  about: ({ city }: { city: string }) => city,
});
/** A tool whose calls are about a city, and operations that return the limits of the session without a call. */
const toolbox = definePlugin({
  id: "toolbox",
  name: "Toolbox",
  version: "1.0.0",
  tools: () => [weather],
  operations: ({ find }) =>
    ({
      test_bash: { params: () => params, run: () => find("tools")?.bash },
      test_executor: {
        params: () => params,
        run: async () => {
          try {
            return await find("sandbox")?.executor();
          } catch (thrown) {
            return (thrown as { code: string }).code;
          }
        },
      },
    }) as never,
});

/** A host whose model calls Weather for each city named in the prompt, and whose sessions have the given settings. */
async function weatherHost() {
  const server = await startModelServer(({ body }) => {
    const { messages } = body as { messages: { role: string; content: unknown }[] };
    const { role, content } = messages.at(-1) ?? {};
    if (role !== "user") return text("done");
    const words = typeof content === "string" ? content : ((content as { text: string }[])[0]?.text ?? "");
    return words.split(" ").map((city) => toolCall("Weather", { city }));
  });
  let settings: Settings = {};
  const entry = (plugin: KernelEntry["plugin"], config?: object): KernelEntry => ({ plugin, origin: "test", config });
  const session = () => [
    entry(requests),
    entry(permissions, settings.permissions),
    entry(tools, settings.tools),
    entry(sandbox, settings.sandbox),
    entry(toolbox),
  ];
  const t = await agentHost(server.baseUrlFor("openai-completions"), { session });
  const { client } = t;
  return {
    client,
    /** Creates a session with these settings. */
    create: async (given: Settings, options: { cwd: string; parent?: string; [option: string]: unknown }) => {
      settings = given;
      const { parent, ...rest } = options;
      const of = parent === undefined ? {} : { parent: { sessionId: parent } };
      return (await client.request("create_session", { ...rest, ...of })).sessionId;
    },
    /** Reloads an open session with other settings. */
    reload: async (given: Settings, sessionId: string) => {
      settings = given;
      await client.request("reload_session", { sessionId });
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

const shown = (client: Client, operation: "test_bash" | "test_executor", sessionId: string) =>
  client.request(operation as never, { sessionId } as never) as Promise<unknown>;

/**
 * Makes the model ask about the weather of these cities; returns for each whether the call ran, or why it was refused.
 */
async function forecast(client: Client, sessionId: string, cities: string): Promise<Record<string, string>> {
  const { id } = await client.request("send_message", { sessionId, content: cities });
  const { reason } = await client.request("wait_turn", { sessionId, id });
  expect(reason).toBe("completed");
  const { events } = await client.request("get_events", { sessionId });
  const messages = events.flatMap(({ event }: any) => event.message ?? []) as any[];
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" ? content.filter(({ type }: { type: string }) => type === "toolCall") : [],
  );
  // Results of refused calls are stored before those of calls that run.
  return Object.fromEntries(
    calls.slice(-cities.split(" ").length).map((call) => {
      const { isError, content } = messages.find(({ toolCallId }) => toolCallId === call.id);
      return [call.arguments.city, isError ? (/Denied: ([^.]*)\./.exec(content[0].text)?.[1] ?? "failed") : "ran"];
    }),
  );
}

/**
 * Makes the model ask about a city in a session with a person, who gives this answer to all questions; returns the
 * questions' titles.
 */
async function asking(client: Client, sessionId: string, city: string, answer: string): Promise<string[]> {
  const titles: string[] = [];
  await client.request("attend_requests", { sessionId });
  const stop = await client.subscribe(sessionId, ({ event }) => {
    const { type, requestId, title } = event as any;
    if (type !== "approval_request") return;
    titles.push(title);
    void client.request("answer_request", { sessionId, requestId, answer });
  });
  expect(await forecast(client, sessionId, city)).toEqual({ [city]: "ran" });
  await client.drained(sessionId);
  stop();
  return titles;
}

describe("the rules of a child", () => {
  const parentRules = { deny: ["Weather(paris)"], ask: ["Weather(bern)"], allow: ["Weather(rome)", "Weather(paris)"] };
  const childRules = {
    deny: ["Weather(lima)"],
    ask: ["Weather(quito)"],
    allow: ["Weather(rome)", "Weather(paris)", "Weather(bern)", "Weather(oslo)", "Weather(lima)"],
  };

  const refused = {
    paris: 'the rule "Weather(paris)" denies it',
    bern: 'the rule "Weather(bern)" asks for approval, and nobody is there to ask',
    lima: 'the rule "Weather(lima)" denies it',
  };

  it("are those of itself and its parent where they restrict, and only those of both where they allow", async () => {
    using home = testHome();
    await using t = await weatherHost();
    const parent = await t.create({ permissions: parentRules }, { cwd: home.cwd, permission: "ask" });
    const child = await t.create({ permissions: childRules }, { cwd: home.cwd, permission: "ask", parent });
    const grandchild = await t.create({ permissions: childRules }, { cwd: home.cwd, permission: "ask", parent: child });
    const oslo = "Weather needs approval, and nobody is there to ask";
    for (const id of [child, grandchild])
      expect(await forecast(t.client, id, "rome oslo paris bern lima")).toEqual({ rome: "ran", oslo, ...refused });
  });

  it("apply in the mode full, too, when it is opened without its parent, and in a copy of it", async () => {
    using home = testHome();
    await using t = await weatherHost();
    const parent = await t.create({ permissions: parentRules }, { cwd: home.cwd, permission: "full" });
    const child = await t.create({ permissions: childRules }, { cwd: home.cwd, permission: "full", parent });
    const quito = 'the rule "Weather(quito)" asks for approval, and nobody is there to ask';
    const expected = { rome: "ran", oslo: "ran", quito, ...refused };
    expect(await forecast(t.client, child, "rome oslo quito paris bern lima")).toEqual(expected);
    for (const sessionId of [parent, child]) await t.client.request("close_session", { sessionId });
    await t.client.request("load_session", { sessionId: child, permission: "full" });
    expect(await forecast(t.client, child, "rome oslo quito paris bern lima")).toEqual(expected);
    const copy = await t.client.request("clone_session", { sessionId: child, permission: "full" });
    expect(await forecast(t.client, copy.sessionId, "rome oslo quito paris bern lima")).toEqual(expected);
  });
});

describe("a rule that a person allows for a session", () => {
  it("applies to its children while it is open, and not the other way round", async () => {
    using home = testHome();
    await using t = await weatherHost();
    const open = { cwd: home.cwd, permission: "ask", attending: true };
    const parent = await t.create({}, open);
    const [child, sibling] = [await t.create({}, { ...open, parent }), await t.create({}, { ...open, parent })];
    const grandchild = await t.create({}, { ...open, parent: child });
    const question = ["Use the tool Weather?"];
    expect(await asking(t.client, parent, "rome", "s")).toEqual(question);
    expect(await asking(t.client, child, "rome", "n")).toEqual([]);
    expect(await asking(t.client, grandchild, "rome", "n")).toEqual([]);
    expect(await asking(t.client, child, "oslo", "s")).toEqual(question);
    expect(await asking(t.client, child, "oslo", "n")).toEqual([]);
    expect(await asking(t.client, grandchild, "oslo", "n")).toEqual([]);
    expect(await asking(t.client, parent, "oslo", "y")).toEqual(question);
    expect(await asking(t.client, sibling, "oslo", "y")).toEqual(question);
    await t.client.request("close_session", { sessionId: parent });
    expect(await asking(t.client, child, "rome", "y")).toEqual(question);
  });
});

describe("the sandbox of a child", () => {
  it.each([
    [
      { sandbox: true, network: false },
      { sandbox: false, network: true },
      { sandbox: true, network: false },
    ],
    [
      { sandbox: false, network: true },
      { sandbox: true, network: false },
      { sandbox: true, network: false },
    ],
    [
      { sandbox: false, network: true },
      { sandbox: false, network: true },
      { sandbox: false, network: true },
    ],
  ])("for Bash, with a parent that has %o and its own settings %o, is %o", async (of, own, is) => {
    using home = testHome();
    await using t = await weatherHost();
    const parent = await t.create({ tools: { bash: of } }, { cwd: home.cwd });
    const child = await t.create({ tools: { bash: own } }, { cwd: home.cwd, parent });
    expect(await shown(t.client, "test_bash", child)).toEqual(is);
    await t.client.request("close_session", { sessionId: parent });
    expect(await shown(t.client, "test_bash", child)).toEqual(is);
  });

  it("is there as soon as its parent has one, while the parent is open", async () => {
    using home = testHome();
    await using t = await weatherHost();
    const bash = { sandbox: false, network: true };
    const parent = await t.create({ tools: { bash }, sandbox: { executor: "local" } }, { cwd: home.cwd });
    const child = await t.create({ tools: { bash }, sandbox: { executor: "local" } }, { cwd: home.cwd, parent });
    const used = async () => [await shown(t.client, "test_bash", child), await shown(t.client, "test_executor", child)];
    expect(await used()).toEqual([bash, "local"]);
    const narrow = { sandbox: true, network: false };
    await t.reload({ tools: { bash: narrow }, sandbox: { executor: "docker" } }, parent);
    expect(await used()).toEqual([narrow, "SANDBOX_NONE"]);
    await t.client.request("close_session", { sessionId: parent });
    expect(await used()).toEqual([bash, "local"]);
  });

  it("cannot be switched off with --sandbox, by it or a copy, but can be switched on", async () => {
    using home = testHome();
    await using t = await weatherHost();
    // Without an image, containers run nothing.
    const create = (sandbox: string, parent?: string) =>
      t.create({ sandbox: { executor: sandbox } }, { cwd: home.cwd, sandbox, ...(parent !== undefined && { parent }) });
    const free = await create("local");
    const confined = await create("docker");
    const used = async (id: string) => await shown(t.client, "test_executor", id);
    expect(await used(free)).toBe("local");
    const child = await create("local", confined);
    const all = [confined, child, await create("local", child), await create("docker", free)];
    for (const id of all) expect(await used(id)).toBe("SANDBOX_NONE");
    expect(await used(await create("local", free))).toBe("local");
    await t.client.request("send_message", { sessionId: child, content: "rome" });
    const copy = await t.client.request("clone_session", { sessionId: child, sandbox: "local" });
    expect(await used(copy.sessionId)).toBe("SANDBOX_NONE");
  });
});

it("a copy of a child is limited to the folders and tools of the child's parent", async () => {
  using home = testHome();
  const shared = join(home.home, "shared");
  mkdirSync(shared);
  await using t = await weatherHost();
  const parent = await t.create({}, { cwd: home.cwd, permission: "full", tools: [], allowWrite: [shared] });
  const child = await t.create({}, { cwd: home.cwd, permission: "full", parent });
  const { id } = await t.client.request("send_message", { sessionId: child, content: "rome" });
  await t.client.request("wait_turn", { sessionId: child, id });
  const clone = (options: object) => t.client.request("clone_session", { sessionId: child, ...options });
  await expect(clone({ allowWrite: [home.home] })).rejects.toMatchObject({ code: "HOST_CHILD_FOLDER" });
  const { sessionId } = await clone({ allowWrite: [shared], tools: ["Weather"], permission: "full" });
  expect(await forecast(t.client, sessionId, "rome")).toEqual({ rome: "failed" });
});
