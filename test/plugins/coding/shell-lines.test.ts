import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCallApproval } from "@scorel/agent/contract";
import coding from "@scorel/coding";
import { SessionProjection } from "@scorel/host/client";
import type { ClientScope, HostService } from "@scorel/host/contract";
import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import local from "@scorel/local";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../eventually.ts";
import { delayUntil, gate, type Script, startModelServer, text, toolCall } from "../../model-server.ts";
import { agentHost } from "../host/agent-host.ts";
import { testHome } from "../host/home.ts";

interface Ground {
  script?: Script;
  config?: object;
  toolsConfig?: object;
  more?: readonly AnyPlugin[];
}

/** A session with the real agent, tools and guards, and a client. */
async function ground({ script = [text("ok"), text("ok")], config = {}, toolsConfig = {}, more = [] }: Ground = {}) {
  const home = testHome();
  const server = await startModelServer(script);
  const entry = (plugin: AnyPlugin, given: object) => ({ plugin, origin: "test", config: given });
  const session = [entry(tools, toolsConfig), requests, entry(permissions, config), local, coding, ...more];
  const { client, kernel } = await agentHost(server.baseUrl, { session });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const shown = async () => {
    const { events } = await client.request("get_events", { sessionId });
    return events.filter(({ event }) => event.type === "shell_line");
  };
  return {
    home,
    client,
    kernel,
    sessionId,
    server,
    shown,
    connect: (scope: ClientScope, clientId: string) =>
      (kernel.find("host") as HostService).connect({ clientId, scope, checkResults: true }),
    run: (command: string, given: object = {}) => client.request("run_shell", { sessionId, command, ...given }),
    /** Resolves with the display of the event with this id, once it is stored. */
    card: (eventId: string) =>
      eventually(async () => {
        const found = (await shown()).find(({ event }) => (event as { id?: string }).id === eventId);
        expect(found).toBeDefined();
        return found?.display;
      }),
    async say(content: string) {
      const { id } = await client.request("send_message", { sessionId, content });
      return client.request("wait_turn", { sessionId, id });
    },
    /** The role and text of each message in the model's last request. */
    got: () =>
      ((server.requests.at(-1)?.body.messages ?? []) as { role: string; content: unknown }[])
        .filter(({ role }) => role !== "system")
        .map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`),
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

afterEach(() => void vi.unstubAllEnvs());

const took = expect.stringMatching(/\d\.\d s\]$/);

describe("run_shell", () => {
  it("stores the command with its output, and the model reads it with the next message as the user's own doing", async () => {
    await using t = await ground();
    const { eventId } = await t.run("echo one; echo two >&2; exit 3");
    expect(await t.card(eventId)).toEqual({
      display: "card",
      title: "! echo one; echo two >&2; exit 3",
      status: "error",
      text: took,
    });
    await t.say("what went wrong?");
    expect(t.got()).toEqual([
      "user: I have run this command in the shell myself, and this is its output:\n\n$ echo one; echo two >&2; exit 3\none\ntwo\n[exit code 3]",
      "user: what went wrong?",
    ]);
  });

  it("tells the model nothing of a silent line, which everybody sees", async () => {
    await using t = await ground();
    const { eventId } = await t.run("echo hush", { silent: true });
    expect(await t.card(eventId)).toMatchObject({ title: "!! echo hush", status: "done" });
    await t.say("hello");
    expect(t.got()).toEqual(["user: hello"]);
  });

  it("runs on when its client leaves, and the next client's options do not end it while only the host keeps the session", async () => {
    await using t = await ground();
    const { sessionId, client } = t;
    const host = t.kernel.find("host") as HostService;
    const keeper = host.connect({ clientId: "host", isKeeper: true });
    await keeper.request("load_session", { sessionId });
    const { eventId } = await t.run("sleep 100");
    expect(await client.request("close_session", { sessionId })).toEqual({ closed: false, notices: [] });
    const open = () => client.request("load_session", { sessionId, permission: "full" });
    await expect(open()).rejects.toMatchObject({ code: "HOST_SESSION_OPTIONS" });
    expect(await keeper.request("end_shell", { sessionId, eventId })).toEqual({ ended: true });
    await client.request("close_session", { sessionId });
    expect(await open()).toMatchObject({ sessionId });
  });

  it("needs no question in mode ask, nor does it change what the model may do", async () => {
    await using t = await ground({ script: [toolCall("Bash", { command: "touch theirs" }), text("ok")] });
    await t.card((await t.run("touch mine")).eventId);
    expect(readFileSync(join(t.home.cwd, "mine"), "utf8")).toBe("");
    await t.client.request("attend_requests", { sessionId: t.sessionId, attending: true });
    const { id } = await t.client.request("send_message", { sessionId: t.sessionId, content: "go" });
    const view = await eventually(async () => {
      const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
      const asked = events.find(({ event }) => event.type === "approval_request");
      expect(asked).toBeDefined();
      return asked?.event as unknown as { requestId: string; title: string };
    });
    expect(view.title).not.toBe("");
    const { requestId } = view;
    await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "n" });
    await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  });

  it("is refused by deny rules and by guards of plugins, and then nothing is stored", async () => {
    const seen: unknown[] = [];
    const guard = definePlugin({
      id: "guard",
      name: "Guard",
      version: "0.0.0",
      needs: ["agent"],
      activate: () => ({
        hooks: {
          approveToolCall: ({ toolCall, args, typed }: ToolCallApproval) => {
            seen.push([toolCall.name, args.command, typed]);
            return args.command === "date" ? { block: true, reason: "It is late." } : undefined;
          },
        },
      }),
    });
    await using t = await ground({ config: { deny: ["Bash(rm:*)"] }, more: [guard] });
    await expect(t.run("rm -rf x")).rejects.toMatchObject({
      code: "AGENT_CALL_REFUSED",
      message: expect.stringMatching(/^Not run: the rule "Bash\(rm:\*\)" .*\.$/),
    });
    await expect(t.run("date")).rejects.toMatchObject({ message: "Not run: It is late." });
    expect(seen).toContainEqual(["Bash", "date", "allowed"]);
    expect(await t.shown()).toEqual([]);
  });

  it("is asked about when the client may not answer questions, and refused for one that may only read", async () => {
    await using t = await ground();
    const prompting = t.connect({ operations: ["read", "run_shell"] }, "prompting");
    const { sessionId } = t;
    await expect(prompting.request("run_shell", { sessionId, command: "touch x" })).rejects.toMatchObject({
      code: "AGENT_CALL_REFUSED",
      message: expect.stringContaining("nobody is there to ask"),
    });
    const answering = t.connect({ operations: ["read", "run_shell", "answer_request"] }, "answering");
    await t.card((await answering.request("run_shell", { sessionId, command: "touch x" })).eventId);
    await t.client.request("set_permission", { sessionId, mode: "plan" });
    await t.card((await t.run("touch y")).eventId);
    await expect(answering.request("run_shell", { sessionId, command: "touch z" })).rejects.toMatchObject({
      message: expect.stringContaining("in plan mode"),
    });
    const viewing = t.connect({ operations: "read" }, "viewing");
    await expect(viewing.request("run_shell", { sessionId, command: "ls" })).rejects.toMatchObject({
      code: "HOST_FORBIDDEN",
    });
    await expect(viewing.request("end_shell", { sessionId })).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  });

  it("is asked about with the name of who has typed it", async () => {
    await using t = await ground();
    const { sessionId } = t;
    const clientId = "friend-0123456789abcdef";
    const friend = t.connect({ operations: ["read", "run_shell"] }, clientId);
    await t.client.request("attend_requests", { sessionId, attending: true });
    const asked = friend.request("run_shell", { sessionId, command: "touch x" });
    asked.catch(() => {});
    const question = await eventually(async () => {
      const { requests } = await t.client.request("list_requests", { sessionId });
      expect(requests).toHaveLength(1);
      return requests[0];
    });
    expect(question).toMatchObject({
      title: "friend wants to run:",
      body: [{ text: "$ touch x" }],
      data: { tool: "Bash", typedBy: { clientId, name: "friend" } },
    });
    const { requestId = "" } = question ?? {};
    await t.client.request("answer_request", { sessionId, requestId, answer: "n" });
    await expect(asked).rejects.toMatchObject({ code: "AGENT_CALL_REFUSED" });
  });

  it("is refused in a session without Bash", async () => {
    await using t = await ground({ toolsConfig: { preset: "readonly" } });
    await expect(t.run("ls")).rejects.toMatchObject({ code: "AGENT_NO_TOOL" });
  });

  it("runs a repeated request once", async () => {
    await using t = await ground();
    const first = await t.run("echo x >> log", { messageId: "m1" });
    expect(await t.run("echo x >> log", { messageId: "m1" })).toEqual(first);
    await t.card(first.eventId);
    expect(await t.run("echo x >> log", { messageId: "m1" })).toEqual(first);
    expect(readFileSync(join(t.home.cwd, "log"), "utf8")).toBe("x\n");
    await expect(t.run("echo y", { messageId: "m1" })).rejects.toMatchObject({ code: "MESSAGE_ID_REUSED" });
  });

  it("shows the end of the output while it runs, also to a client that comes later, and ends with all it started", async () => {
    await using t = await ground();
    const { sessionId } = t;
    const { eventId } = await t.run("echo begun; sleep 300 & echo $! > pid; wait");
    const other = t.connect({}, "other");
    const view = new SessionProjection(await other.request("get_status", { sessionId }));
    const stop = await other.subscribe(sessionId, (delivered) => view.take(delivered));
    await eventually(() =>
      expect(view.live).toMatchObject([
        {
          kind: "call",
          id: eventId,
          typedBy: "tester",
          display: { display: "card", title: expect.stringContaining("! echo begun"), status: "running" },
          progress: { content: [{ type: "text", text: expect.stringContaining("begun") }] },
        },
      ]),
    );
    expect(view.status.doing).toBeUndefined();
    const pid = await eventually(() => {
      const read = Number(readFileSync(join(t.home.cwd, "pid"), "utf8"));
      expect(read).toBeGreaterThan(0);
      return read;
    });
    expect(await other.request("end_shell", { sessionId, eventId })).toEqual({ ended: true });
    expect(await other.request("end_shell", { sessionId, eventId })).toEqual({ ended: false });
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
    expect(await t.card(eventId)).toMatchObject({ status: "error", text: expect.stringContaining("cancelled") });
    await eventually(() => expect(view.live).toEqual([]));
    await stop();
    await other.close();
  });

  it("runs while a turn runs: it is stored at once, and the model reads it before its next reply", async () => {
    const held = gate();
    await using t = await ground({
      script: [[text("Let me see."), delayUntil(held.promise), toolCall("Bash", { command: "pwd" })], text("ok")],
      config: { mode: "full" },
    });
    const { sessionId } = t;
    const { id } = await t.client.request("send_message", { sessionId, content: "go" });
    await eventually(() => expect(t.server.requests).toHaveLength(1));
    const { eventId } = await t.run("echo meanwhile");
    expect(await t.card(eventId)).toMatchObject({ status: "done" });
    held.open();
    await t.client.request("wait_turn", { sessionId, id });
    expect(t.got().map((line) => line.slice(0, 60))).toEqual([
      "user: go",
      expect.stringMatching(/^assistant: /),
      expect.stringMatching(/^tool: /),
      expect.stringContaining("user: I have run this command in the shell myself"),
    ]);
    await t.say("and now?");
    expect(t.got().filter((line) => line.includes("meanwhile"))).toHaveLength(1);
  });

  it("keeps known keys out of the command and its output, wherever they go", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-0123456789abcdef");
    await using t = await ground();
    const { eventId } = await t.run("echo sk-0123456789abcdef; env | grep -c API_KEY");
    expect(await t.card(eventId)).toMatchObject({
      title: "! echo [redacted]; env | grep -c API_KEY",
      text: expect.stringMatching(/^\[redacted\]\n0\n/),
    });
    await t.say("hello");
    expect(t.got().join()).not.toContain("sk-0123456789abcdef");
  });

  it("stores the result of a line that ended with the session", async () => {
    await using t = await ground();
    const { sessionId } = t;
    const { eventId } = await t.run("echo begun; sleep 300");
    await t.client.request("close_session", { sessionId });
    await t.client.request("load_session", { sessionId });
    expect(await t.card(eventId)).toMatchObject({ title: "! echo begun; sleep 300", status: "error" });
  });
});
