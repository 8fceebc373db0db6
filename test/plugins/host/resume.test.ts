import type { Anchor, Client, Delivered, HostService, Subscription } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { type Part, type Script, startModelServer, text, thinking, toolCall } from "../../model-server.ts";
import { fc, seed } from "../../property.ts";
import { says, tool } from "../agent/setup.ts";
import { agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";
import { View } from "./view.ts";

const tick = () => new Promise<void>((done) => setImmediate(done));

/** Tools that report progress, and one that asks a person. */
const toolbox = definePlugin({
  id: "toolbox",
  name: "Toolbox",
  version: "1.0.0",
  tools: ({ ui }) => [
    tool("Dig", async (_id, _params, _signal, onUpdate) => {
      onUpdate?.(says("half way"));
      for (let n = 0; n < 5; n++) await tick();
      return says("dug");
    }),
    tool("Ask", async () => says((await ui.confirm("Go on?")) ? "yes" : "no")),
  ],
});

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n} `).join("");
const rounds: Part[][] = [
  [thinking(words(20), 3), text(words(20), [1, 7, 2]), toolCall("Dig", { deep: words(5) }, { pieces: 4 })],
  [text(words(10), 2), toolCall("Ask", {}), toolCall("Dig", { again: true })],
  [thinking(words(5), 5), text(words(40), 3)],
];

/** A session with the real agent, and a client that stays subscribed from the start and answers all questions. */
async function stage(script: Script) {
  const home = testHome();
  const server = await startModelServer(script);
  const t = await agentHost(server.baseUrl, { session: [tools, toolbox, requests] });
  const host = t.kernel.find("host") as HostService;
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await t.client.request("attend_requests", { sessionId });
  const view = new View();
  /** The state that the client showed after each event. */
  const shownAt = new Map<number, string>();
  await t.client.subscribe(sessionId, async (delivered) => {
    view.hear(delivered);
    const { event } = delivered as { event: any };
    if ("seq" in event) shownAt.set(event.seq, view.shown);
    if (event.type !== "approval_request") return;
    void t.client.request("answer_request", { sessionId, requestId: event.requestId, answer: "y" });
  });
  const ask = async (content: string) => {
    const { id } = await t.client.request("send_message", { sessionId, content });
    return t.client.request("wait_turn", { sessionId, id });
  };
  return {
    ...t,
    host,
    sessionId,
    view,
    shownAt,
    ask,
    async [Symbol.asyncDispose]() {
      await t.kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

interface Stay {
  /** Number of events after which the client leaves. */
  events: number;
  /** Turns of the event loop until it reconnects. */
  away: number;
  /** The part of its state that it keeps: all, only the stored events, or nothing. */
  knows: "all" | "stored" | "nothing";
  joined: boolean;
}

/** A client that disconnects and reconnects. */
class Roamer {
  readonly view = new View();
  readonly modes: string[] = [];
  /** The state that it showed each time it left, with the seq of its last event. */
  readonly left: { seq: number; shown: string }[] = [];
  private readonly host: HostService;
  private readonly sessionId: string;
  private anchor: Anchor | undefined;

  constructor(host: HostService, sessionId: string) {
    this.host = host;
    this.sessionId = sessionId;
  }

  async stay({ events, away, knows, joined }: Stay, isOver: () => boolean): Promise<void> {
    const client = this.host.connect();
    const anchor = knows === "stored" && this.anchor ? { ...this.anchor, streamSeq: -1 } : this.anchor;
    let heard = 0;
    const subscription = await this.subscribe(client, () => heard++, {
      joined,
      ...(anchor && knows !== "nothing" && { anchor }),
    });
    this.modes.push(subscription.mode);
    while (heard < events && !isOver()) await tick();
    await this.leave(client, subscription);
    for (let n = 0; n < away; n++) await tick();
  }

  /** Reconnects for the last time, and waits for all events. */
  async finish(): Promise<void> {
    const client = this.host.connect();
    const subscription = await this.subscribe(client, () => {}, { ...(this.anchor && { anchor: this.anchor }) });
    await client.drained(this.sessionId);
    await this.leave(client, subscription);
  }

  private async subscribe(client: Client, onEvent: () => void, options: { joined?: boolean; anchor?: Anchor }) {
    const hear = (delivered: Delivered) => {
      this.view.hear(delivered);
      onEvent();
    };
    const subscription = await client.subscribe(this.sessionId, hear, { tail: Number.POSITIVE_INFINITY, ...options });
    this.view.begin(subscription.mode);
    return subscription;
  }

  private async leave(client: Client, subscription: Subscription): Promise<void> {
    await subscription();
    this.anchor = subscription.anchor;
    // While events from before its return are still being delivered, it shows an earlier state.
    if (this.anchor.streamSeq >= 0) this.left.push({ seq: this.anchor.streamSeq, shown: this.view.shown });
    await client.close();
  }
}

describe("a client that leaves and comes back at any point of a turn", () => {
  it(`shows the same as one that stayed (SEED=${seed})`, async () => {
    const stays = fc.array(
      fc.record({
        events: fc.nat(25),
        away: fc.nat(4),
        knows: fc.oneof(
          { weight: 4, arbitrary: fc.constant("all" as const) },
          fc.constantFrom("stored" as const, "nothing" as const),
        ),
        joined: fc.boolean(),
      }),
      { minLength: 5, maxLength: 40 },
    );
    const modes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(stays, async (steps) => {
        await using t = await stage((_request, index) => rounds[index % rounds.length] as Part[]);
        const roamer = new Roamer(t.host, t.sessionId);
        let over = false;
        const turn = t.ask("go").finally(() => {
          over = true;
        });
        for (const step of steps) await roamer.stay(step, () => over);
        expect(await turn).toMatchObject({ reason: "completed" });
        await roamer.finish();
        await t.client.drained(t.sessionId);
        expect(roamer.view.shown).toBe(t.view.shown);
        // The steady client's subscription is older than all, so it has seen each of these events.
        for (const { seq, shown } of roamer.left) expect(shown).toBe(t.shownAt.get(seq));
        for (const mode of roamer.modes) modes.set(mode, (modes.get(mode) ?? 0) + 1);
      }),
      { numRuns: 12 },
    );
    expect([...modes.keys()].sort()).toEqual(["full_reload", "persistent_fallback", "stream_resume"]);
  });
});
