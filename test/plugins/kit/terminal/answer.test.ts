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

  it("is shown at once, even if it contains very many blanks", async () => {
    const { streams, shown } = person("n\n");
    Object.assign(streams.stdout, { isTTY: true, columns: 80 });
    await agrees(`Run a${" ".repeat(1_000_000)}b? `, streams);
    expect(shown()?.replaceAll(/[\s]+/g, " ")).toContain("Run a b? ");
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
      if (chunk.endsWith("Sure? [y/N] ")) stdin.write(`${answers.shift()}\n`);
    });
    expect(await agrees("Much may happen.\n\nSure? [y/N] ", streams)).toBe(true);
    expect(shown).toBe(
      "Much may happen.\n\nSure? [y/N] Please answer y or n (Enter: no).\nSure? [y/N] Please answer y or n (Enter: no).\nSure? [y/N] ",
    );
  });

  it("counts as no when the input ends after an answer that means nothing", async () => {
    const { streams, stdin } = person("?\n");
    stdin.end();
    expect(await agrees("Sure? ", streams)).toBe(false);
  });

  it("has an empty answer at the end of the input", async () => {
    const { streams, stdin, shown } = person("");
    stdin.end();
    // Later output begins on a new line.
    expect([await answerTo("Which? ", streams), shown()]).toEqual(["", "Which? \n"]);
  });

  it("fails with the exit code of Ctrl-C if it is interrupted, and is not asked after that", async () => {
    const leaves = new AbortController();
    const { streams, shown } = person("half a li", leaves.signal);
    const left = answerTo("Which? ", streams);
    leaves.abort();
    const stopped = { code: "QUESTION_STOPPED", exit: 130 };
    await expect(left).rejects.toMatchObject(stopped);
    expect(shown()).toBe("Which? \n");
    const gone = person("y\n", AbortSignal.abort());
    await expect(agrees("Sure? ", gone.streams)).rejects.toMatchObject(stopped);
    expect(gone.shown()).toBeNull();
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
