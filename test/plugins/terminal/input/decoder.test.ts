import { describe, expect, it } from "vitest";
import { createDecoder, type Later } from "../../../../plugins/terminal/input/decoder.ts";
import { fc } from "../../../property.ts";

/** A timer that fires when the test runs it. */
function hand() {
  let time = 0;
  let due: { work: () => void; ms: number } | undefined;
  const later: Later = (work, ms) => {
    due = { work, ms };
    return () => {
      due = undefined;
    };
  };
  return {
    later,
    now: () => time,
    waits: () => due?.ms,
    run: () => due?.work(),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

function decoded(...chunks: readonly (string | Uint8Array)[]) {
  const inputs: string[] = [];
  const timer = hand();
  const decoder = createDecoder({ onInput: (data) => inputs.push(data), later: timer.later, now: timer.now });
  for (const chunk of chunks) decoder.write(Buffer.from(chunk as string));
  return { inputs, timer, decoder };
}

describe("the decoder of keys", () => {
  it("gives each key that came in one read on its own", () => {
    expect(decoded("a\x1b[A\x1bb你😀\r\x1b[97;5u\x1bOP\x1b[[A").inputs).toEqual(
      ["a", "\x1b[A", "\x1bb", "你", "😀", "\r", "\x1b[97;5u", "\x1bOP", "\x1b[[A"], // whole characters
    );
  });

  it("reads a paste or a key at the start of a read of any length", () => {
    const long = "x".repeat(10_000);
    expect(decoded(`\x1b[200~${long}\x1b[201~`).inputs).toEqual([`\x1b[200~${long}\x1b[201~`]);
    expect(decoded("\x1b[20", `0~${long}\x1b[201~`).inputs).toEqual([`\x1b[200~${long}\x1b[201~`]);
    expect(decoded(`\x1b[A${long}`).inputs.slice(0, 2)).toEqual(["\x1b[A", "x"]);
  });

  it("treats an escape character as the key Esc only after a moment without more", () => {
    const { inputs, timer } = decoded("\x1b");
    expect([inputs, timer.waits()]).toEqual([[], 30]);
    timer.run();
    expect(inputs).toEqual(["\x1b"]);
  });

  it("treats an escape character and a letter that follows at once as Alt and the letter", () => {
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
      "\t",
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

  it("takes lines that come at once for a paste, also behind one, and one line with its end for keys", () => {
    const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;
    const seen = (...chunks: string[]) => {
      const { inputs, decoder } = decoded(...chunks);
      decoder.end();
      return inputs;
    };
    expect({
      lines: seen("x\n!touch y\n/permission full\n"),
      ends: seen("y\r!touch x\r"),
      "an end within a paste": seen("\x1b[200~hello\x1b[201~\r!touch x\r\x1b[201~"),
      "an end right behind a paste": seen("\x1b[200~hello\x1b[201~", "\r"),
      "sequences in it": seen("a\r\x1b[A\x1b[?62c!b\r"),
      line: seen("!ls\r"),
      "ends alone": seen("\r\r"),
      "text behind a paste": seen("\x1b[200~a\x1b[201~ b"),
      "Alt-Enter": seen("a\x1b\rb"),
    }).toEqual({
      lines: [pasted("x\n!touch y\n/permission full\n")],
      ends: [pasted("y\r!touch x\r")],
      "an end within a paste": [pasted("hello"), pasted("\r!touch x\r")],
      "an end right behind a paste": [pasted("hello"), pasted("\r")],
      "sequences in it": ["\x1b[?62c", pasted("a\r!b\r")],
      line: ["!", "l", "s", "\r"],
      "ends alone": ["\r", "\r"],
      "text behind a paste": [pasted("a"), " ", "b"],
      "Alt-Enter": ["a", "\x1b\r", "b"],
    });
    const { inputs, timer, decoder } = decoded(pasted("ls"));
    timer.pass(6);
    decoder.write(Buffer.from("\r"));
    expect(inputs).toEqual([pasted("ls"), "\r"]);
  });

  it("holds a line with its end for a moment, and treats it as a paste if text follows", () => {
    const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;
    const line = decoded("!ls\r");
    expect([line.inputs, line.timer.waits()]).toEqual([[], 30]);
    line.timer.run();
    expect(line.inputs).toEqual(["!", "l", "s", "\r"]);
    const lines = decoded("!ls\r", "!touch x\r");
    lines.timer.run();
    expect(lines.inputs).toEqual([pasted("!ls\r!touch x\r")]);
    // The line end may arrive in a separate read.
    const parts = decoded("!ls", "\r", "touch x\r");
    parts.timer.run();
    expect(parts.inputs).toEqual(["!", "l", "s", pasted("\rtouch x\r")]);
    // So may each character of the line end, all within a few milliseconds.
    const slow = decoded("!ls");
    for (const read of ["\r", "\n", "touch x"]) {
      slow.timer.pass(3);
      slow.decoder.write(Buffer.from(read));
    }
    slow.timer.run();
    expect(slow.inputs).toEqual(["!", "l", "s", pasted("\r\ntouch x")]);
    const { inputs, timer, decoder } = decoded("l", "s");
    timer.pass(5);
    decoder.write(Buffer.from("\r"));
    expect(inputs).toEqual(["l", "s", "\r"]);
  });

  it("gives a paste without marks as one, however many reads it comes in", () => {
    const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;
    const { inputs, timer, decoder } = decoded("one\rtw");
    expect([inputs, timer.waits()]).toEqual([[], 30]);
    timer.pass(29);
    const long = "x".repeat(1_000);
    for (const chunk of [`o\r${long}`, "three", "\rfour\r"]) {
      decoder.write(Buffer.from(chunk));
      expect([inputs, timer.waits()]).toEqual([[], 150]);
      timer.pass(149);
    }
    timer.run();
    expect(inputs).toEqual([pasted(`one\rtwo\r${long}three\rfour\r`)]);
    // A key that arrives afterwards comes after the paste.
    for (const [after, keys] of Object.entries({ "\r": ["\r"], "\x03": ["\x03"], "\x1b[A": ["\x1b[A"] })) {
      const other = decoded("a\rb");
      other.timer.pass(6);
      other.decoder.write(Buffer.from(after));
      expect(other.inputs).toEqual([pasted("a\rb"), ...keys]);
    }
    expect(decoded("a\rb", pasted("c")).inputs).toEqual([pasted("a\rb"), pasted("c")]);
    const cut = decoded("a\rb\x1b[");
    cut.timer.run();
    cut.decoder.write(Buffer.from("A"));
    expect(cut.inputs).toEqual([pasted("a\rb"), "\x1b[A"]);
  });

  it("ends a paste whose end does not come, and takes what comes later for its rest", () => {
    const { inputs, timer, decoder } = decoded("\x1b[200~one\r");
    expect([inputs, timer.waits()]).toEqual([[], 1000]);
    timer.run();
    expect(inputs).toEqual(["\x1b[200~one\r\x1b[201~"]);
    decoder.write(Buffer.from("two\r!three\r\x1b[201~"));
    expect(inputs.slice(1)).toEqual(["\x1b[200~two\r!three\r\x1b[201~"]);
    const other = decoded("\x1b[200~half", "\x03", "x");
    expect(other.inputs).toEqual(["\x1b[200~half\x1b[201~", "x"]);
  });

  it("says which keys came alone", () => {
    const seen: [string, boolean][] = [];
    const decoder = createDecoder({ onInput: (data, isAlone) => seen.push([data, isAlone]), later: () => () => {} });
    for (const chunk of ["y", "yy", "\x1b[A", "y\r"]) decoder.write(Buffer.from(chunk));
    decoder.end();
    expect(seen).toEqual([
      ["y", true],
      ["y", false],
      ["y", false],
      ["\x1b[A", true],
      ["y", false],
      ["\r", false],
    ]);
  });
});
