import { describe, expect, it } from "vitest";
import { createDecoder, type Later } from "../../../../plugins/terminal/input/decoder.ts";
import { fc } from "../../../property.ts";

/** A timer that runs when a test says so. */
function hand() {
  let due: { work: () => void; ms: number } | undefined;
  const later: Later = (work, ms) => {
    due = { work, ms };
    return () => {
      due = undefined;
    };
  };
  return { later, waits: () => due?.ms, run: () => due?.work() };
}

function decoded(...chunks: readonly (string | Uint8Array)[]) {
  const inputs: string[] = [];
  const timer = hand();
  const decoder = createDecoder({ onInput: (data) => inputs.push(data), later: timer.later });
  for (const chunk of chunks) decoder.write(Buffer.from(chunk as string));
  return { inputs, timer, decoder };
}

describe("the decoder of keys", () => {
  it("gives each key that came in one read on its own", () => {
    expect(decoded("a\x1b[A\x1bb你😀\r\x1b[97;5u\x1bOP\x1b[[A").inputs).toEqual(
      ["a", "\x1b[A", "\x1bb", "你", "😀", "\r", "\x1b[97;5u", "\x1bOP", "\x1b[[A"], // whole characters
    );
  });

  it("takes an escape character for the key Esc only after a moment without more", () => {
    const { inputs, timer } = decoded("\x1b");
    expect([inputs, timer.waits()]).toEqual([[], 30]);
    timer.run();
    expect(inputs).toEqual(["\x1b"]);
  });

  it("takes an escape character and a letter that follows at once for Alt and the letter", () => {
    expect(decoded("\x1b", "f").inputs).toEqual(["\x1bf"]);
  });

  it("tells Esc pressed twice from Alt and an arrow key", () => {
    expect(decoded("\x1b\x1b[A").inputs).toEqual(["\x1b\x1b[A"]);
    const twice = decoded("\x1b\x1b");
    twice.timer.run();
    expect(twice.inputs).toEqual(["\x1b", "\x1b"]);
    expect(decoded("\x1b\x1ba").inputs).toEqual(["\x1b", "\x1ba"]);
  });

  it("waits longer for the rest of a sequence, and drops a beginning whose rest never comes", () => {
    const { inputs, timer, decoder } = decoded("\x1b]11;rgb:1e1e");
    expect([inputs, timer.waits()]).toEqual([[], 1000]);
    decoder.write(Buffer.from("/1e1e/1e1e\x1b\\x"));
    expect(inputs).toEqual(["\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "x"]);
    const lost = decoded("\x1b[<35;20");
    lost.timer.run();
    expect(lost.inputs).toEqual([]);
  });

  it("ignores that a key is released", () => {
    expect(decoded("\x1b[97;1:1u\x1b[97;1:3u\x1b[1;1:3A").inputs).toEqual(["\x1b[97;1:1u"]);
  });

  it("gives a paste whole, wherever it is cut, with its line ends and characters", () => {
    const text = "/permission full\r\n!rm -rf\r你好😀\x1b[A\t\x00end";
    const bytes = Buffer.from(`a\x1b[200~${text}\x1b[201~b`);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(decoded(...chunks).inputs).toEqual(["a", `\x1b[200~${text}\x1b[201~`, "b"]);
      }),
    );
  });

  it("gives the same keys wherever their bytes are cut", () => {
    const keys = [
      "a",
      "é",
      "你",
      "😀",
      "\x1b[A",
      "\x1b[1;5C",
      "\x1b[97;5u",
      "\x1bb",
      "\r",
      "\x1bOP",
      "\x1b[<0;3;4M",
      "\x7f",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...keys), { maxLength: 20 }), fc.nat(), (pressed, cut) => {
        const bytes = Buffer.from(pressed.join(""));
        const at = bytes.length === 0 ? 0 : cut % bytes.length;
        expect(decoded(bytes.subarray(0, at), bytes.subarray(at)).inputs).toEqual(pressed);
      }),
    );
  });
});
