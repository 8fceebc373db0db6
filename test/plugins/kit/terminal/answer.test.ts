import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { agrees, answerTo } from "../../../../plugins/kit/terminal/answer.ts";

/** A terminal at which this was typed; `shown` is the output. */
function person(typed: string, interrupt: AbortSignal = new AbortController().signal) {
  const stdin = new PassThrough();
  const stdout = new PassThrough().setEncoding("utf8");
  stdin.write(typed);
  const streams = { stdin, stdout, interrupt } as unknown as Parameters<typeof answerTo>[1];
  return { streams, stdin, shown: () => stdout.read() as string | null };
}

describe("a question to a person", () => {
  it("escapes characters that are hidden or change the direction of text", async () => {
    const { streams, shown } = person("y\n");
    await agrees("Remove a\u202eb\u200bc\u001b[2K? ", streams);
    expect(shown()).toBe("Remove a\\u{202e}b\\u{200b}c\\u{1b}[2K? ");
  });

  it("is broken at words in a narrow window", async () => {
    const { streams, shown } = person("n\n");
    Object.assign(streams.stdout, { isTTY: true, columns: 32 });
    const rows = "No model configured. Choose one of these:\n  scorel demo   shows what Scorel does\n\nTry it? [y/N] ";
    await agrees(rows, streams);
    expect(shown()).toContain(
      "No model configured. Choose one\nof these:\n  scorel demo\n        shows what Scorel does\n\nTry it? [y/N] ",
    );
  });

  it("is shown, and answered by one line", async () => {
    const { streams, shown } = person("blue\nred\n");
    expect(await answerTo("Which? ", streams)).toBe("blue");
    expect(shown()).toBe("Which? ");
  });

  it.each([
    ["y\n", true],
    [" YES \n", true],
    ["n\n", false],
    ["No\n", false],
    [" \n", false],
    ["\n", false],
  ])("with yes or no counts %j as %s", async (typed, agreed) => {
    expect(await agrees("Sure? ", person(typed).streams)).toBe(agreed);
  });

  it("is asked again, with what may be answered, after anything but yes, no and an empty line", async () => {
    const { streams, stdin } = person("");
    const answers = ["?", "yesterday", "y"];
    let shown = "";
    streams.stdout.on("data", (chunk: string) => {
      shown += chunk;
      if (chunk === "Sure? [y/N] ") stdin.write(`${answers.shift()}\n`);
    });
    expect(await agrees("Sure? [y/N] ", streams)).toBe(true);
    expect(shown).toBe(
      "Sure? [y/N] Please answer y or n (Enter: no).\nSure? [y/N] Please answer y or n (Enter: no).\nSure? [y/N] ",
    );
  });

  it("counts as no when the input ends after an answer that means nothing", async () => {
    const { streams, stdin } = person("?\n");
    stdin.end();
    expect(await agrees("Sure? ", streams)).toBe(false);
  });

  it("has an empty answer at the end of the input, or when it is cancelled", async () => {
    const ended = person("");
    ended.stdin.end();
    const leaves = new AbortController();
    const leaving = person("half a li", leaves.signal);
    const left = answerTo("Which? ", leaving.streams);
    leaves.abort();
    expect([await answerTo("Which? ", ended.streams), await left]).toEqual(["", ""]);
    // Later output begins on a new line.
    expect([ended.shown(), leaving.shown()]).toEqual(["Which? \n", "Which? \n"]);
    const gone = person("y\n", AbortSignal.abort());
    expect([await agrees("Sure? ", gone.streams), gone.shown()]).toEqual([false, null]);
  });

  it("does not fail if its terminal is closed meanwhile", async () => {
    const { streams, stdin } = person("y\n");
    const closed = Object.assign(new Error("setRawMode EIO"), { code: "EIO" });
    const setRawMode = () => {
      throw closed;
    };
    Object.assign(streams.stdout, { isTTY: true });
    Object.setPrototypeOf(stdin, Object.assign(Object.create(PassThrough.prototype) as object, { setRawMode }));
    expect(await agrees("Sure? ", streams)).toBe(true);
  });
});
