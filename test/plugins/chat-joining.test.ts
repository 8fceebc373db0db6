import type { Row } from "@scorel/host/client";
import { type DisplayAction, definePlugin } from "@scorel/kernel";
import type {} from "@scorel/requests/contract";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { pastText } from "../../plugins/chat/past.ts";
import { StreamedReply } from "../../plugins/chat/streamed-reply.ts";
import { delayUntil, gate, text, toolCall } from "../model-server.ts";
import { fc } from "../property.ts";
import { tool } from "./agent/setup.ts";
import { people } from "./chat-people.ts";

describe("somebody who joins", () => {
  it("sees the conversation so far, and then new events", async () => {
    await using t = await people((index) => [text(`answer ${index}`)]);
    const anna = await t.person();
    anna.type("one\r");
    await anna.shows("answer 0");
    await anna.shows("tokens in");
    const ben = await t.person();
    expect(ben.lines()).toEqual([
      `Session ${t.sessionId} · local/m1 · /help`,
      "  terminal> one",
      "answer 0",
      "(also here: terminal; you are terminal-2)",
      "> ",
    ]);
    anna.type("two\r");
    await ben.shows("terminal> two");
    await ben.shows("answer 1");
    expect(ben.screen().split("answer 0").length).toBe(2);
  });

  it("in the middle of a reply sees its text so far, the queue, and the rest once", async () => {
    const finishing = gate();
    await using t = await people((index) =>
      index === 0 ? [text("begun, "), delayUntil(finishing.promise), text("finished")] : [text("second")],
    );
    const anna = await t.person();
    anna.type("go\r");
    await anna.shows("begun");
    anna.type("later\r");
    await anna.shows("(queued:");
    const ben = await t.person("begun, ");
    expect(ben.lines().slice(1)).toEqual([
      "  terminal> go",
      "(also here: terminal; you are terminal-2)",
      "(1 queued message, sent when the running turn ends)",
      "  terminal> later",
      "begun, ",
    ]);
    finishing.open();
    await ben.shows("finished");
    await ben.shows("second");
    expect(ben.screen()).toContain("begun, finished\n");
    expect(ben.screen().match(/begun/g)?.length).toBe(1);
  });

  it("sees running tools, and the question that waits, which both can answer", async () => {
    const asking = gate();
    const slow = definePlugin({
      id: "slow",
      name: "Slow",
      version: "1.0.0",
      needs: ["requests"],
      tools: (ctx) => [
        tool("Slow", async () => {
          await asking.promise;
          const { answer } = await ctx.requests.ask({ kind: "input", title: "Which colour?" });
          return { content: [{ type: "text", text: `got ${answer}` }] };
        }),
      ],
    });
    await using t = await people(
      (index) => (index === 0 ? [toolCall("Slow", { what: "the work" })] : [text("done now")]),
      [tools, slow],
    );
    const anna = await t.person();
    anna.type("go\r");
    await anna.shows("· Slow");
    const ben = await t.person("· Slow");
    asking.open();
    await anna.shows("Which colour?");
    const cleo = await t.person("Which colour?");
    await ben.shows("Which colour?");
    await cleo.shows("[type the answer] ");
    cleo.type("blue\r");
    await Promise.all([anna.shows("got blue"), cleo.shows("got blue"), cleo.shows("done now")]);
  });
});

const row = (display: DisplayAction, more: Partial<Row> = {}): Row =>
  ({
    id: "e",
    seq: 1,
    type: "message",
    clientId: "terminal-0123456789abcdef",
    ts: 0,
    active: true,
    display,
    ...more,
  }) as Row;
const said = (words: string, more: Partial<Row> = {}) => row({ display: "bubble", role: "user", text: words }, more);
const replied = (words: string) => row({ display: "bubble", role: "assistant", text: words });
const options = { sessionId: "abc", named: false, elsewhere: false, columns: 80 };

describe("the end of a conversation", () => {
  it("has the last turns, and says how much is before them", () => {
    const rows = Array.from({ length: 8 }, (_, n) => [said(`question ${n}`), replied(`answer ${n}`)]).flat();
    const shown = (more: boolean, elsewhere = false) => pastText({ rows, more }, { ...options, elsewhere }).split("\n");
    expect(shown(false)).toEqual([
      "(6 messages before this; all of it: scorel session show abc)",
      ...[3, 4, 5, 6, 7].flatMap((n) => [`> question ${n}`, `answer ${n}`]),
    ]);
    expect(shown(true)[0]).toBe("(more than 6 messages before this; all of it: scorel session show abc)");
    expect(shown(false, true)[0]).toBe(
      "(6 messages before this; all of it: scorel session show abc, on the computer of the host)",
    );
  });

  it("names the authors, omits rewound messages, and shortens tool results", () => {
    const output = Array.from({ length: 9 }, (_, n) => `line ${n}`).join("\n");
    const rows = [
      said("mine"),
      said("rewound", { active: false }),
      said("two\nlines", { clientId: "print-0123456789abcdef" }),
      row({ display: "card", title: "Read a", status: "done", text: output }),
      row({ display: "card", title: "Read b", status: "error", text: "" }),
      row({ display: "marker", text: "Went back to here" }, { type: "rewind" }),
      row({ display: "bubble", role: "assistant", text: "half", partial: true }),
    ];
    expect(pastText({ rows, more: false }, options).split("\n")).toEqual([
      "  terminal> mine",
      "  print> two",
      "  print> lines",
      "· Read a",
      ...["  … 5 more lines", "  line 5", "  line 6", "  line 7", "  line 8"],
      "· failed: Read b",
      "half",
      "(cut off here)",
    ]);
  });

  it("takes at most 60 rows of the terminal, whatever it contains", () => {
    const words = fc.array(fc.string({ maxLength: 200 }), { maxLength: 100 }).map((lines) => lines.join("\n"));
    const rows = fc.array(
      fc.oneof(
        words.map(replied),
        words.map((each) => said(each)),
      ),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(rows, fc.integer({ min: 20, max: 200 }), (all, columns) => {
        const lines = pastText({ rows: all, more: true }, { ...options, columns }).split("\n");
        const height = lines.slice(1).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
        expect(height).toBeLessThanOrEqual(61);
      }),
    );
  });

  it("shows the end of a reply that is longer than that", () => {
    const long = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    const lines = pastText({ rows: [said("go"), replied(long)], more: false }, options).split("\n");
    expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
      61,
      "(1 message before this; all of it: scorel session show abc)",
      "…",
      "line 99",
    ]);
    const wide = pastText({ rows: [replied("x".repeat(100_000))], more: false }, options);
    expect(wide.length).toBeLessThan(61 * 80);
  });
});

describe("a reply whose text comes in pieces", () => {
  it("is printed once, however often it is sent from its start and whatever was missed", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("more" as const), size: fc.integer({ min: 1, max: 5 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("again" as const), size: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("missed" as const), size: fc.integer({ min: 1, max: 5 }) }) },
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.array(step), (whole, steps) => {
        const reply = new StreamedReply();
        let [printed, at] = ["", 0];
        reply.start("r");
        for (const { do: what, size } of steps) {
          const next = Math.min(whole.length, at + size);
          if (what === "missed") reply.miss();
          if (what === "again") {
            reply.start("r");
            printed += reply.take("r", whole.slice(0, at));
          }
          if (what === "more") printed += reply.take("r", whole.slice(at, next));
          at = next;
        }
        expect(whole.startsWith(printed)).toBe(true);
        printed += reply.rest("r", whole);
        expect(printed).toBe(whole);
        expect(reply.rest("r", whole)).toBe("");
        expect(reply.rest("other", whole)).toBeUndefined();
      }),
    );
  });

  it("waits for the end of a reply whose beginning was missed, and shows no part of it twice", () => {
    const reply = new StreamedReply();
    reply.start("a");
    expect(reply.take("a", "one")).toBe("one");
    reply.miss();
    expect(reply.take("b", "end of b")).toBe("");
    expect(reply.rest("b", "beginning and end of b")).toBe("beginning and end of b");
    reply.start("c");
    expect(reply.take("c", "three")).toBe("three");
    expect(reply.rest("c", "three, without a secret")).toBe(", without a secret");
    reply.start("d");
    reply.take("d", "key 123");
    expect(reply.rest("d", "key [hidden]")).toBe("");
  });
});
