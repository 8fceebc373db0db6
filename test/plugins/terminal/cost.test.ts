import { SessionProjection } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { People } from "../../../plugins/terminal/app/people.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { Painter } from "../../../plugins/terminal/screen/painter.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { emulator } from "./emulator.ts";

const WIDTH = 120;
const HEIGHT = 36;

const position = { epoch: "e", persistentSeq: 0, persistentId: null, activation: "a", streamSeq: -1 };
const status = {
  sessionId: "s",
  running: true,
  leafId: null,
  meta: {},
  anchor: position,
  problems: [],
  notices: [],
} as unknown as SessionStatus;

/** A session with this many turns, and a reply that is being streamed. */
async function session(turns: number) {
  const theme = themeOf("dark", dark);
  const look: Look = {
    theme,
    words: en,
    drawing: { theme },
    isExpanded: false,
    showsThinking: false,
    expandKey: "",
    thinkingKey: "",
  };
  const transcript = new Transcript();
  const view = new SessionProjection(status, (change) => {
    if (change.kind === "rows") transcript.changed(change.index, change.isNew);
    if (change.kind === "reset") transcript.rebuild();
    if (change.kind === "live") transcript.liveChanged();
  });
  view.begin({ mode: "full_reload", more: false, anchor: position, status });
  for (let seq = 1, parentId: string | null = null; seq <= turns * 2; seq++) {
    const id = `e${seq}`;
    const isUser = seq % 2 === 1;
    const text = isUser ? `Question ${seq}` : `An answer with **bold** and \`code\`, number ${seq}.\n\n- one\n- two`;
    const event = {
      type: "message",
      id,
      parentId,
      seq,
      sessionId: "s",
      clientId: "c",
      ts: seq,
      message: { role: isUser ? "user" : "assistant", content: text },
    };
    view.take({ event, display: { display: "bubble", role: isUser ? "user" : "assistant", text } } as never);
    parentId = id;
  }
  transcript.follow(view as never, new People({ clientId: "c" }));
  const send = (event: object) =>
    view.take({ event: { sessionId: "s", ts: 0, streamSeq: 0, ...event }, display: { display: "hidden" } } as never);
  send({ type: "message_start", eventId: "live", model: "m" });
  const painter = new Painter();
  painter.resize(WIDTH, HEIGHT);
  const paint = () => painter.paint({ lines: transcript.render(WIDTH, HEIGHT, look), moving: HEIGHT });
  const delta = (text: string) => send({ type: "text_delta", eventId: "live", delta: text });
  return { transcript, look, paint, delta };
}

const words = Array.from({ length: 400 }, (_, at) => (at % 40 === 39 ? " end.\n\n" : ` word${at}`));

describe("the cost of a word", () => {
  it("is at most three times its bytes plus 64 in the terminal's output", async () => {
    const { paint, delta } = await session(500);
    paint();
    let sent = 0;
    let allowed = 0;
    for (const word of words) {
      delta(word);
      sent += Buffer.byteLength(paint());
      allowed += 3 * Buffer.byteLength(word) + 64;
    }
    expect(sent).toBeLessThanOrEqual(allowed);
  });

  it("is at most half as high again in a conversation of 1,000 turns as in one of 10", async () => {
    const measured = async (turns: number) => {
      const { paint, delta } = await session(turns);
      paint();
      const times = words.map((word) => {
        const start = performance.now();
        delta(word);
        paint();
        return performance.now() - start;
      });
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
    };
    await measured(10);
    const few = Math.min(await measured(10), await measured(10), await measured(10));
    const many = Math.min(await measured(1_000), await measured(1_000), await measured(1_000));
    expect(many).toBeLessThan(1.5 * few + 0.05);
  });

  it("shows the same as when everything is drawn at once", async () => {
    using grown = emulator(WIDTH, HEIGHT);
    using whole = emulator(WIDTH, HEIGHT);
    const first = await session(20);
    for (const word of words) {
      first.delta(word);
      await grown.write(first.paint());
    }
    const second = await session(20);
    second.delta(words.join(""));
    await whole.write(second.paint());
    expect(grown.lines()).toEqual(whole.lines());
  });
});

describe("scrolling", () => {
  it("keeps what is read in place while more arrives, and counts what is below", async () => {
    const { transcript, look, paint, delta } = await session(30);
    paint();
    transcript.scroll(-10, look);
    const before = transcript.render(WIDTH, HEIGHT, look);
    delta("More\n\nand more\n\nand more.");
    expect(transcript.render(WIDTH, HEIGHT, look)).toEqual(before);
    expect(transcript.below(look).count).toBeGreaterThanOrEqual(10);
    transcript.scroll(100, look);
    expect(transcript.isAtEnd).toBe(true);
    expect(transcript.scroll(-10_000, look)).toBe(true);
    expect(transcript.render(WIDTH, HEIGHT, look)[0]).toContain("Question 1");
  });
});
