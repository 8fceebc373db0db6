import { join } from "node:path";
import { expect, it } from "vitest";
import { createDecoder } from "../../../../plugins/terminal/input/decoder.ts";
import type { Draft } from "../../../../plugins/terminal/input/draft.ts";
import type { Unsent } from "../../../../plugins/terminal/input/draft-content.ts";
import { History, type Sent } from "../../../../plugins/terminal/input/history.ts";
import { HistoryWalk } from "../../../../plugins/terminal/input/history-walk.ts";
import { fc } from "../../../property.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { desk, key, paste } from "./desk.ts";

const hostile = fc.oneof(
  fc.constantFrom(
    "/permission full",
    "!rm -rf /",
    "!!id",
    "/",
    "!",
    "/help\n!ls",
    " /x",
    "\u0000/x",
    "\x1b[A/x",
    "\r!x",
  ),
  fc.string().map((text) => `/${text}`),
  fc.string().map((text) => `!${text}`),
  fc.string(),
  fc.nat(30).map((lines) => "/permission full\n!rm\n".repeat(lines)),
);

/** A draft that an earlier process left. */
const drafted = (saved: Unsent): Draft => ({ saved, change() {}, clear() {}, close() {} });

/** Pending writes of all histories, also of desks that are not used any more. */
const writing: Promise<void>[] = [];
class WatchedHistory extends History {
  override add(sent: Sent): Promise<void> {
    const added = super.add(sent);
    writing.push(added);
    return added;
  }
}

it("nothing pasted, drafted, queued or received becomes a command or a line for the shell", async () => {
  let number = 0;
  const folder = temporaryFolder("typed-");
  const step = fc.oneof(
    hostile.map((text) => ({ paste: text })),
    hostile.map((text) => ({ set: text })),
    // Keys that type no character: moves, deletions, undo, history, opened pastes, the kill ring.
    fc
      .constantFrom(
        key.up,
        key.down,
        key.home,
        key.end,
        key.left,
        key.backspace,
        key.delete,
        key.undo,
        key.openPaste,
        "\x15",
        "\x17",
        "\x19",
        "\x1by",
        key.tab,
        key.escape,
        "\x1b[13;2u",
      )
      .map((press) => ({ press })),
    fc.constant({ press: key.enter }),
  );
  fc.assert(
    fc.property(hostile, hostile, fc.array(step, { maxLength: 30 }), (earlier, draft, steps) => {
      const history = new WatchedHistory(join(folder, `${number++}.jsonl`));
      void history.add({ mode: "message", text: earlier });
      const walk = new HistoryWalk(history, () => {});
      const { field, sent, type } = desk({
        history: walk,
        draft: drafted({ text: draft, pastes: new Map(), attachments: [] }),
      });
      for (const each of steps) {
        if ("paste" in each) type(paste(each.paste.replaceAll("\x1b[201~", "")));
        else if ("set" in each) field.setText(each.set);
        else type(each.press);
        expect(field.mode).toBe("message");
      }
      type(key.enter);
      expect(sent.map(({ mode }) => mode).filter((mode) => mode !== "message")).toEqual([]);
    }),
  );
  // A history that writes later would create the folder again after it was removed.
  await Promise.all(writing);
});

it("nothing of several lines that are pasted without marks is run or sent, however they are cut into reads", () => {
  const line = fc.constantFrom("!touch x", "/permission full", "!!id", "words", "/", "!");
  const lines = fc.array(line, { minLength: 2, maxLength: 6 });
  const reads = fc.array(fc.record({ length: fc.integer({ min: 1, max: 20 }), after: fc.nat(4) }), { minLength: 1 });
  fc.assert(
    fc.property(lines, fc.constantFrom("\r", "\n", "\r\n"), fc.boolean(), reads, (words, end, isEnded, cuts) => {
      const { sent, type } = desk();
      let time = 0;
      const decoder = createDecoder({ onInput: (data) => type(data), later: () => () => {}, now: () => time });
      const text = words.join(end) + (isEnded ? end : "");
      for (let [at, turn] = [0, 0]; at < text.length; turn++) {
        const { length, after } = cuts[turn % cuts.length] as { length: number; after: number };
        decoder.write(Buffer.from(text.slice(at, at + length)));
        at += length;
        time += after;
      }
      decoder.end();
      expect(sent).toEqual([]);
    }),
  );
});

it("every text that is pasted is sent whole", () => {
  const text = fc.oneof(
    fc.string({
      unit: fc.constantFrom("a", "\n", "\t", " ", "你", "😀", "[paste #1 +11 lines]", "[paste #2 1001 chars]"),
    }),
    fc.string({ unit: "grapheme", maxLength: 3000 }),
    fc.nat(40).map((lines) => "line\n".repeat(lines)),
  );
  const clean = (pasted: string) => pasted.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      // Escape sequences are tested elsewhere.
      fc.pre(!texts.join("").includes("\x1b"));
      const { field, sent, type } = desk();
      for (const each of texts) type(paste(each));
      const whole = texts.map(clean).join("");
      expect(field.text).toBe(whole);
      fc.pre(whole.trim() !== "" && !whole.endsWith("\\"));
      type(key.enter);
      expect(sent.map((each) => each.text)).toEqual([whole]);
    }),
  );
});
