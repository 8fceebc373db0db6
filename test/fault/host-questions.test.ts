import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { OpenRequest } from "@scorel/requests/contract";
import { describe, expect, it } from "vitest";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { type Running, type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, type Reply, startModelServer, text, toolCall } from "../model-server.ts";

const LIMIT = 120_000;

async function serve(s: Scratch, more: readonly string[] = []): Promise<Running> {
  const running = s.start(["host", "serve", "--foreground", ...more]);
  await running.line((line) => line.startsWith("socket: "));
  return running;
}

function connect(s: Scratch): Promise<RemoteClient> {
  const dial = async () => {
    const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
    return dialSocket(addresses[0].address);
  };
  return connectHost({ dial, version: "1.0.0", times: { firstRetry: 20, lastRetry: 100 } });
}

const message = (event: any) => event.message ?? {};
const command = (name: string) => toolCall("Bash", { command: `echo ${name} >> made` });

/** A session with two clients and a turn that waits for an answer. */
async function asked(replies: readonly Reply[]) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl);
  const host = await serve(s);
  const clients = (await Promise.all([connect(s), connect(s)])) as [RemoteClient, RemoteClient];
  const [first, second] = clients;
  const { sessionId } = await first.request("create_session", { cwd: s.project });
  const ended: { requestId: string; answer: string | null }[] = [];
  await second.subscribe(sessionId, ({ event }) => void (event.type === "approval_answer" && ended.push(event as any)));
  const attend = () =>
    Promise.all(clients.map(async (client) => (await client.request("attend_requests", { sessionId })).requests));
  await attend();
  const { id } = await first.request("send_message", { sessionId, content: "go" });
  /** Resolves with the only open question, once it is not `before`. */
  const question = async (before?: string) => {
    let open: OpenRequest[] = [];
    await eventually(async () => {
      ({ requests: open } = await second.request("list_requests", { sessionId }));
      expect(open.map(({ requestId }) => requestId)).toEqual([expect.not.stringMatching(before ?? "none")]);
    });
    return open[0] as OpenRequest;
  };
  const live = () => eventually(() => expect(clients.map(({ state }) => state.state)).toEqual(["live", "live"]));
  const results = async () => {
    const { events } = await first.request("get_events", { sessionId });
    const all = events.map(({ event }) => message(event)).filter(({ role }) => role === "tool_result");
    return all.map(({ toolCallId, isError, content }) => [toolCallId, isError, content[0].text]);
  };
  return {
    ...{ s, server, host, first, second, sessionId, id, ended, attend, question, live, results },
    made: () => (existsSync(join(s.project, "made")) ? readFileSync(join(s.project, "made"), "utf8") : ""),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      s[Symbol.dispose]();
      await server.close();
    },
  };
}
type Asked = Awaited<ReturnType<typeof asked>>;

/** The ways in which a host can end while a question is open, each followed by the start of the next host. */
const endings: readonly [string, (t: Asked) => Promise<unknown>][] = [
  [
    "was killed",
    async ({ s, host }) => {
      host.child.kill("SIGKILL");
      await host.finished;
      return serve(s);
    },
  ],
  ["was replaced", ({ s }) => serve(s, ["--replace"])],
  [
    "was stopped",
    async ({ s, host }) => {
      host.child.kill("SIGTERM");
      await host.finished;
      return serve(s);
    },
  ],
];

describe.each(endings)("a question that was open when its host %s", (_how, restart) => {
  it(
    "is the same one with the next host, and the turn goes on with the first answer to it",
    async () => {
      await using t = await asked([[command("one"), command("two")], text("Done.")]);
      const { requestId, ...before } = await t.question();
      await restart(t);
      await t.live();
      const open = await t.attend();
      expect(open).toEqual([[{ requestId, ...before }], [{ requestId, ...before }]]);
      expect([await t.results(), t.made(), t.ended, t.server.requests.length]).toEqual([[], "", [], 1]);
      const turn = t.second.request("wait_turn", { sessionId: t.sessionId, id: t.id });
      const answers = await Promise.allSettled(
        [t.first, t.second].map((client) =>
          client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const next = await t.question(requestId);
      await t.first.request("answer_request", { sessionId: t.sessionId, requestId: next.requestId, answer: "n" });
      expect(await turn).toMatchObject({ reason: "completed", text: "Done." });
      expect(t.made()).toBe("one\n");
      expect(await t.results()).toEqual([
        ["call_0_1", true, expect.stringContaining("the user said no")],
        ["call_0_0", false, expect.any(String)],
      ]);
      const { messages } = t.server.requests[1]?.body ?? {};
      expect(messages.slice(-3).map(({ role, tool_call_id }: any) => [role, tool_call_id])).toEqual([
        ["assistant", undefined],
        ["tool", "call_0_0"],
        ["tool", "call_0_1"],
      ]);
    },
    LIMIT,
  );

  it(
    "ends when somebody goes on with another message, and nothing was run",
    async () => {
      await using t = await asked([command("one"), text("Then not.")]);
      const { requestId } = await t.question();
      await restart(t);
      await t.live();
      const { id } = await t.first.request("send_message", { sessionId: t.sessionId, content: "never mind" });
      const outcome = await t.first.request("wait_turn", { sessionId: t.sessionId, id });
      expect(outcome).toMatchObject({ reason: "completed", text: "Then not." });
      const late = t.second.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
      await expect(late).rejects.toMatchObject({ code: "REQUEST_CLOSED" });
      expect(await t.results()).toEqual([["call_0_0", true, expect.stringContaining("Not run: Scorel ended")]]);
      expect(t.ended).toMatchObject([{ requestId, answer: null, reason: "the conversation continued without it" }]);
      expect(t.made()).toBe("");
    },
    LIMIT,
  );
});

it(
  "leaves a question open that is asked while its host stops",
  async () => {
    const answers = gate();
    await using t = await asked([[delayUntil(answers.promise), command("one")], text("Done.")]);
    await t.server.request(0);
    t.host.child.kill("SIGTERM");
    await eventually(() => expect(t.first.state.state).not.toBe("live"));
    answers.open();
    await t.host.finished;
    await serve(t.s);
    await t.live();
    await t.attend();
    const { requestId } = await t.question();
    const turn = t.second.request("wait_turn", { sessionId: t.sessionId, id: t.id });
    await t.first.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
    expect(await turn).toMatchObject({ reason: "completed", text: "Done." });
    expect([t.made(), t.server.requests.length]).toEqual(["one\n", 2]);
  },
  LIMIT,
);

it(
  "leaves a call that had begun as it is",
  async () => {
    await using t = await asked([toolCall("Bash", { command: "echo ran >> made; exec sleep 600" }), text("I see.")]);
    const { requestId } = await t.question();
    await t.first.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
    await eventually(() => expect(t.made()).toBe("ran\n"));
    await endings[0]?.[1](t);
    await t.live();
    expect(await t.attend()).toEqual([[], []]);
    expect(await t.results()).toEqual([
      ["call_0_0", true, expect.stringContaining("Stopped: Scorel ended while this ran")],
    ]);
    expect(t.made()).toBe("ran\n");
  },
  LIMIT,
);
