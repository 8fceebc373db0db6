import type { TurnOutcome } from "@scorel/agent/contract";
import type { Delivered } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { cardText, wrapped } from "../../plugins/chat/drawing.ts";
import { Screen } from "../../plugins/chat/screen.ts";
import { fc } from "../property.ts";

/** The lines that the screen shows for these events. */
async function shown(...events: [type: string, display: DisplayAction, clientId?: string][]): Promise<string[]> {
  const pieces: string[] = [];
  const output = { write: async (piece: string) => void pieces.push(piece), failure: undefined, complaint: undefined };
  const screen = new Screen(output, { clientId: "me" });
  for (const [type, display, clientId] of events)
    await screen.hear({
      event: { type, seq: 1, message: {}, changes: { name: "n" }, clientId },
      display,
    } as unknown as Delivered);
  return pieces.join("").trimEnd().split("\n");
}
const card = (
  title: string,
  status: "running" | "done" | "error",
  text = "",
  body?: DisplayAction[],
): DisplayAction => ({
  display: "card",
  title,
  status,
  text,
  ...(body && { body }),
});

describe("the screen of a conversation", () => {
  it("says who typed what, except the user's own messages", async () => {
    const typed = (text: string): DisplayAction => ({ display: "bubble", role: "user", text });
    const joined = "(print is here, too)";
    const pieces: string[] = [];
    const output = {
      write: async (piece: string) => void pieces.push(piece),
      failure: undefined,
      complaint: undefined,
    };
    const screen = new Screen(output, { clientId: "terminal-0123456789abcdef" });
    for (const [clientId, display] of [
      ["terminal-0123456789abcdef", typed("mine")],
      ["print-0123456789abcdef", { display: "notice", level: "info", text: joined }],
      ["print-0123456789abcdef", typed("from a script")],
      ["host", typed("from a program")],
    ] as [string, DisplayAction][]) {
      const event = { type: display.display === "notice" ? "client_joined" : "message", seq: 1, clientId };
      await screen.hear({ event: { ...event, message: { role: "user" } }, display } as unknown as Delivered);
    }
    expect(pieces.join("")).toBe(`${joined}\n  print> from a script\n  > from a program\n`);
  });

  it("says who has typed a line for the shell, if it was not the user", async () => {
    const line = (status: "running" | "done") => card("! touch a\nb", status);
    expect(
      await shown(
        ["shell_line_start", line("running"), "friend-0123456789abcdef"],
        ["shell_line", line("done"), "friend-0123456789abcdef"],
        ["shell_line", card("! ls", "done", "a"), "me"],
        ["shell_line", card("! ls", "done", "a"), "without-name"],
      ),
    ).toEqual(["· friend ! touch a ⏎ b", "· ! ls", "  a", "· another client ! ls", "  a"]);
  });

  it("names each of two cards with the same title", async () => {
    const note = (text: string) => ["note", card("Note", "done", text)] as [string, DisplayAction];
    expect(await shown(note("A"), note("B"))).toEqual(["· Note", "  A", "· Note", "  B"]);
  });

  it("names a tool once, and again after output of other tools", async () => {
    expect(
      await shown(
        ["tool_execution_start", card("Read a", "running")],
        ["message", card("Read a", "done", "one")],
        ["tool_execution_start", card("Read b", "running")],
        ["tool_execution_start", card("Read c", "running")],
        ["message", card("Read b", "done", "two")],
        ["message", card("Read c", "error", "three")],
      ),
    ).toEqual(["· Read a", "  one", "· Read b", "· Read c", "· Read b", "  two", "· failed: Read c", "  three"]);
  });

  it("shows the whole diff of an edit", async () => {
    const diff = Array.from({ length: 30 }, (_, n) => `+line ${n}`).join("\n");
    const edit = card("Edit a", "done", "Edited a.", [{ display: "diff", path: "a", text: diff }]);
    const lines = await shown(["message", edit]);
    expect([lines[0], lines[1], lines.length]).toEqual(["· Edit a", "  Edited a.", 32]);
  });

  it("hides a name that its own command reports, and shows one that another client has given", async () => {
    const named: DisplayAction = { display: "notice", level: "info", text: "Session renamed to n" };
    expect(await shown(["session_info", named, "me"])).toEqual([""]);
    expect(await shown(["session_info", named, "you"])).toEqual(["  Session renamed to n"]);
  });

  it("hides moves that its own command reports, and shows those of others", async () => {
    const back: DisplayAction = { display: "marker", text: "Went back to here" };
    const across: DisplayAction = { display: "marker", text: "Switched to another branch" };
    expect(
      await shown(
        ["rewind", back, "me"],
        ["branch", across, "me"],
        ["compact", back, "me"],
        ["rewind", back, "you"],
        ["branch", across, "you"],
      ),
    ).toEqual(["  Went back to here", "  Switched to another branch"]);
  });

  it("draws a list once, with its result", async () => {
    const list: DisplayAction = { display: "list", items: [{ text: "test", state: "active" }], text: "[~] test" };
    expect(await shown(["tool_execution_start", list], ["message", list])).toEqual(["  [~] test"]);
  });
});

describe("the end of a turn", () => {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const none: TurnOutcome["usage"] = { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  async function ended(more: Partial<TurnOutcome>): Promise<string> {
    const pieces: string[] = [];
    const output = {
      write: async (piece: string) => void pieces.push(piece),
      failure: undefined,
      complaint: undefined,
    };
    const outcome = { reason: "completed", text: "", stopReason: "stop", durationMs: 2_000, leafId: null } as const;
    await new Screen(output, { clientId: "me" }).turn({ ...outcome, usage: none, ...more });
    return pieces.join("");
  }

  it("shows the usage, and nothing when there is none", async () => {
    expect(await ended({ usage: { ...none, input: 5, output: 2 } })).toBe("[5 tokens in, 2 out · 2.0 s]\n");
    expect(await ended({})).toBe("");
    const cost = { ...none.cost, total: 0.5 };
    expect(await ended({ usage: { ...none, input: 5, cost } })).toBe("[5 tokens in, 0 out · $0.5000 · 2.0 s]\n");
  });

  it("leaves the usage out of output that goes to a program", async () => {
    const written: Record<"out" | "usage", string> = { out: "", usage: "" };
    const to = (name: "out" | "usage") => ({
      async write(piece: string | Uint8Array) {
        written[name] += piece;
      },
      failure: undefined,
      complaint: undefined,
    });
    const screen = new Screen(to("out"), { clientId: "me" }, undefined, to("usage"));
    const outcome = { reason: "completed", text: "", stopReason: "stop", durationMs: 2_000, leafId: null } as const;
    await screen.turn({ ...outcome, usage: { ...none, input: 5, output: 2 } });
    expect(written).toEqual({ out: "", usage: "[5 tokens in, 2 out · 2.0 s]\n" });
  });

  it("ends the current line of text", async () => {
    const pieces: string[] = [];
    const output = {
      write: async (piece: string) => void pieces.push(piece),
      failure: undefined,
      complaint: undefined,
    };
    const screen = new Screen(output, { clientId: "me" });
    const event = { type: "text_delta", seq: 1, eventId: "a", delta: "words" };
    await screen.hear({ event, display: { display: "hidden" } } as unknown as Delivered);
    const outcome = { reason: "completed", text: "words", stopReason: "stop", durationMs: 1, leafId: null } as const;
    await screen.turn({ ...outcome, usage: none });
    expect(pieces.join("")).toBe("words\n");
  });

  it("reports an answer that was cut at the output limit", async () => {
    expect(await ended({ stopReason: "length" })).toBe(
      "(the answer is cut: it reached the model's output limit; raise maxTokens in [model] for longer ones)\n",
    );
  });
});

describe("the output of a command", () => {
  it("is indented at its second column where it is wider than the terminal", () => {
    const rows = "/new [name]  Begin a new session in this directory\n/quit        Leave";
    expect(wrapped(rows, 30).split("\n")).toEqual([
      "/new [name]  Begin a new",
      "             session in this",
      "             directory",
      "/quit        Leave",
    ]);
  });

  it("is unchanged where it fits, has no room, or no width is known", () => {
    const row = "word  another word";
    expect([wrapped(row, 18), wrapped(row, undefined), wrapped("x".repeat(30), 20)]).toEqual([
      row,
      row,
      "x".repeat(30),
    ]);
  });

  it("takes linear time for a line that ends with very many blanks", () => {
    expect(wrapped(`name${" ".repeat(2 ** 19)}`, 80).trimEnd()).toBe("name");
  });

  it("counts wide characters as two columns, and loses none", () => {
    const row = "name  日本語 日本語 中文";
    expect(wrapped(row, 16)).toBe("name  日本語\n      日本語\n      中文");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (text, columns) => {
        expect(wrapped(text, columns).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }),
    );
  });
});

it("the output of a command is cut to its end, where the result of a test run is", () => {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  const shown = cardText({ display: "card", title: "npm test", status: "done", text }, 80).split("\n");
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at + 8}`);
  expect(shown.map((line) => line.trim())).toEqual(["… 8 more lines", ...lines]);
});
