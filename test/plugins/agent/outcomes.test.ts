import type { AgentService, SendOptions, Sent, TurnOutcome } from "@scorel/agent/contract";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { outcomeFromLog } from "../../../plugins/agent/turn/outcome.ts";
import { testHeader } from "../../harness.ts";
import {
  delayUntil,
  failure,
  gate,
  hang,
  type RecordedRequest,
  type Reply,
  text,
  toolCall,
  usage,
} from "../../model-server.ts";
import { fc } from "../../property.ts";
import { openAgent, says, tool } from "./setup.ts";

/** How a turn goes: the model answers, calls a tool and then answers, fails, or is cancelled while it answers. */
type Kind = "answered" | "tool" | "failed" | "cancelled";
interface Waiting {
  kind: Kind;
  running: "steer" | "follow_up";
}
/** A turn that a sent message starts, or the waiting ones do (`kind` is undefined). */
interface Play {
  /** Messages that are queued before the turn. */
  before?: Waiting[];
  kind: Kind | undefined;
  /** Messages that are sent while it runs. */
  during: Waiting[];
}

/** Plays turns with a real agent. Returns all sent messages. */
async function played(plays: readonly Play[]) {
  const during: Waiting[] = [];
  const sent: Sent[] = [];
  const send = async ({ kind, ...options }: { kind: Kind } & SendOptions) => {
    const message = await t.agent.send(`${sent.length} ${kind}`, options);
    sent.push(message);
    return message;
  };
  const t = await openAgent(
    async (request) => {
      for (const waiting of during.splice(0)) await send(waiting);
      return replyTo(request);
    },
    { tools: [tool("look", async () => says("seen"))] },
  );
  t.kernel.subscribe((event: any) => {
    if (event.type === "text_delta" && String(event.delta).includes("cancel")) void t.agent.cancel();
  });
  for (const play of plays) {
    for (const waiting of play.before ?? []) await send({ ...waiting, idle: "queue" });
    during.push(...play.during);
    const started = play.kind ? await send({ kind: play.kind }) : await t.agent.runQueue();
    await started?.turn;
    during.length = 0;
  }
  await emptied(t.agent);
  return { ...t, sent, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** Answers the last message of a request. */
function replyTo({ body }: RecordedRequest): Reply {
  const messages = body.messages as { role: string; content: unknown }[];
  const last = messages.findLast(({ role }) => role === "user");
  const [, number, kind] = /(\d+) (\w+)"/.exec(JSON.stringify(last?.content)) ?? [];
  const spent = usage({ input: 10 + Number(number), output: 1 });
  if (kind === "tool" && messages.at(-1)?.role === "user") return [toolCall("look", {}), spent];
  if (kind === "failed") return [text(`half of ${number}`), failure("out of memory")];
  if (kind === "cancelled") return [text(`please cancel ${number}`), hang()];
  return [text(`answer to ${number}`), spent];
}

/** Runs turns until no message waits. */
async function emptied(agent: AgentService): Promise<void> {
  for (let next = await agent.runQueue(); next; next = await agent.runQueue()) await next.turn;
}

const timeless = ({ durationMs: _, ...outcome }: TurnOutcome) => outcome;

async function expectSameOutcomes(plays: readonly Play[]): Promise<void> {
  await using t = await played(plays);
  const live = await Promise.all(t.sent.map(async ({ turn }) => timeless(await turn)));
  const read = t.sent.map(({ id }) => timeless(outcomeFromLog(t.session, id) as TurnOutcome));
  expect(read).toEqual(live);
}

it.each<[string, Play[]]>([
  [
    "of a message whose turn has ended before a waiting one fails",
    [
      { kind: "cancelled", during: [{ kind: "failed", running: "follow_up" }] },
      { kind: undefined, during: [] },
    ],
  ],
  [
    "of a message that is answered before another one is queued, which fails,",
    [
      { kind: "answered", during: [] },
      { before: [{ kind: "failed", running: "follow_up" }], kind: undefined, during: [] },
    ],
  ],
  [
    "of messages that are answered within one turn",
    [{ kind: "answered", during: [{ kind: "answered", running: "follow_up" }] }],
  ],
  ["of a steering message", [{ kind: "tool", during: [{ kind: "answered", running: "steer" }] }]],
  [
    "of several steering messages that start a turn",
    [
      {
        kind: "failed",
        during: [
          { kind: "answered", running: "steer" },
          { kind: "tool", running: "steer" },
        ],
      },
      { kind: undefined, during: [] },
    ],
  ],
])("the outcome %s is the same when it is read from the log", (_what, plays) => expectSameOutcomes(plays));

const kind = fc.constantFrom<Kind>("answered", "tool", "failed", "cancelled");
const waiting = fc.array(fc.record({ kind, running: fc.constantFrom("steer" as const, "follow_up" as const) }), {
  maxLength: 2,
});

it("outcomes are the same when they are read from the log, whatever is sent while turns run", async () => {
  const play = fc.record({ before: waiting, kind: fc.option(kind, { nil: undefined }), during: waiting });
  const plays = fc.array(play, { maxLength: 4 });
  await fc.assert(fc.asyncProperty(plays, expectSameOutcomes), { numRuns: 40 });
});

describe("a waiting message that was written, but not synced to disk", () => {
  async function opened(script: Parameters<typeof openAgent>[0]) {
    const store = createMemoryStore(testHeader);
    const disk = { isBroken: false };
    const sync = async () => {
      if (disk.isBroken) throw new Error("EIO");
      await store.sync();
    };
    const t = await openAgent(script, { kernel: { store: { ...store, sync } } });
    return Object.assign(t, { disk });
  }

  it("gets the outcome of the turn that it was delivered to", async () => {
    const { promise, open } = gate();
    await using t = await opened([[delayUntil(promise), text("first")]]);
    const { turn } = await t.agent.send("go");
    const queued = await t.agent.send("and then");
    t.disk.isBroken = true;
    open();
    expect(await turn).toMatchObject({ reason: "error", error: { message: "EIO" } });
    expect(await queued.turn).toBe(await turn);
    t.disk.isBroken = false;
  });

  it("gets an outcome if the turn that it would start could not begin", async () => {
    await using t = await opened([]);
    const queued = await t.agent.send("later", { idle: "queue" });
    t.disk.isBroken = true;
    await expect(t.agent.runQueue()).rejects.toThrow("EIO");
    expect(await queued.turn).toMatchObject({ reason: "cancelled", error: { code: "AGENT_INTERRUPTED" } });
    t.disk.isBroken = false;
  });
});
