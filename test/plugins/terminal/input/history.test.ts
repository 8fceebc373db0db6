import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { History } from "../../../../plugins/terminal/input/history.ts";
import { HistoryWalk, withoutSecrets } from "../../../../plugins/terminal/input/history-walk.ts";
import { eventually } from "../../../eventually.ts";
import { desk, key, message, paste } from "./desk.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "history-"));
  path = join(folder, "prompts", "p.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const walked = () => {
  const problems: string[] = [];
  return { history: new HistoryWalk(new History(path), (problem) => problems.push(problem)), problems };
};

describe("the history", () => {
  it("is recalled with Up and Down at the first and last line, and then the text that was being written", () => {
    const { type, field } = desk(walked());
    type("first", key.enter, paste("second\nof two lines"), key.enter, "now", paste("\n".repeat(11)));
    const own = field.text;
    const seen: string[] = [];
    for (const press of [key.up, key.up, key.up, key.up, key.down, key.down, key.down]) {
      type(press);
      seen.push(field.text);
    }
    const second = "second\nof two lines";
    expect(seen).toEqual([second, second, "first", "first", second, own, own]);
  });

  it("does not keep answers to questions, sent or put aside", () => {
    const { type, field, sent } = desk(walked());
    type("a message", key.enter);
    field.isAnswer = () => true;
    type("use mkdir", key.enter, "no");
    field.putAside();
    field.isAnswer = () => false;
    type(key.up);
    expect([field.text, sent]).toEqual(["a message", [message("a message"), message("use mkdir")]]);
    type(key.up);
    expect(field.text).toBe("a message");
  });

  it("restores commands and shell lines with their marks, and within such a line recalls only lines of its kind", () => {
    const { type, field, sent } = desk(walked());
    type("/help", key.enter, "!!ls", key.enter, "!pwd", key.enter, "hello", key.enter, "own");
    const line = () => field.render(40)[1];
    const recalled = (...keys: string[]) => {
      const shown = keys.map((each) => {
        type(each);
        return line();
      });
      return shown;
    };
    expect(recalled(key.up, key.up, key.up, key.up, key.up, key.down, key.down, key.down, key.down)).toEqual(
      ["> hello", "!pwd", "!!ls", "/help", "/help", "!!ls", "!pwd", "> hello", "> own"], // what is drawn
    );
    field.setText("");
    expect(recalled("!", key.up, key.up, key.up)).toEqual(["!", "!pwd", "!!ls", "!!ls"]);
    field.setText("");
    expect(recalled("/", key.up, key.up)).toEqual(["/", "/help", "/help"]);
    field.setText("");
    expect(sent).toHaveLength(4);
    type(key.up, key.up, key.up, key.enter);
    expect(sent.at(-1)).toEqual({ mode: "shell", text: "ls", attachments: [], silent: true });
  });

  it("restores the text that was being written when other text is put into the field", () => {
    const { type, field } = desk(walked());
    type("queued", key.enter, "my draft", key.up);
    expect(field.text).toBe("queued");
    field.leaveHistory();
    expect(field.text).toBe("my draft");
    type(key.up, " changed");
    field.leaveHistory();
    expect(field.text).toBe("queued changed");
  });

  it("is shared with other processes at once, and stored for this user alone", async () => {
    const one = new History(path);
    const other = new History(path);
    await Promise.all([...Array(20).keys()].map((n) => (n % 2 ? one : other).add({ mode: "message", text: `${n}` })));
    const texts = one.all().map(({ text }) => text);
    expect(texts.sort((a, b) => Number(a) - Number(b))).toEqual([...Array(20).keys()].map(String));
    expect(other.all()).toHaveLength(20);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("keeps a repeated text once, and takes known secrets out", async () => {
    const redact = withoutSecrets({ SOME_API_KEY: "sk-12345678", HOME: "/home/me", SHORT_TOKEN: "abc", PATH: "/bin" });
    const history = new History(path, redact);
    for (const text of ["use sk-12345678 in /home/me abc", "use sk-12345678 in /home/me abc"])
      await history.add({ mode: "message", text });
    const sent = { mode: "message", text: "use [redacted] in /home/me abc" };
    expect([history.all(), readFileSync(path, "utf8")]).toEqual([[sent], `${JSON.stringify(sent)}\n`]);
  });

  it("survives a torn line, damaged lines and control characters", async () => {
    const history = new History(path);
    await history.add({ mode: "message", text: "good" });
    appendFileSync(
      path,
      'nonsense\n{"mode":"root","text":"x"}\n{"mode":"message","text":"\\u001b[31mred\\u0007"}\n{"mode":"mes',
    );
    await history.add({ mode: "message", text: "after" });
    expect(new History(path).all().map(({ text }) => text)).toEqual(["good", "red", "after"]);
  });

  it.each(["x", "字"])("stays small: the oldest texts are dropped, of %s", async (character) => {
    const history = new History(path);
    const long = character.repeat(99_000);
    for (let n = 0; n < 23; n++) await history.add({ mode: "message", text: `${n} ${long}` });
    expect(statSync(path).size).toBeLessThan(1_300_000);
    expect(history.all().at(-1)?.text.slice(0, 3)).toBe("22 ");
    await history.add({ mode: "message", text: "y".repeat(100_001) });
    expect(history.all().at(-1)?.text.slice(0, 3)).toBe("22 ");
  });

  it("follows no link, says why once, and works on in this process", async () => {
    const history = new History(path);
    await history.add({ mode: "message", text: "x" });
    const target = join(path, "..", "target");
    writeFileSync(target, "mine");
    rmSync(path);
    symlinkSync(target, path);
    const { history: walk, problems } = walked();
    walk.add({ mode: "message", text: "a" });
    walk.add({ mode: "message", text: "b" });
    await eventually(() => expect(problems).toEqual([expect.stringContaining("ELOOP")]));
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  it("restores text that was put aside, in its mode", () => {
    const { type, field } = desk(walked());
    type("half a line");
    field.putAside();
    expect([field.text, field.mode]).toEqual(["", "message"]);
    type("!", "ls -la");
    field.putAside();
    expect([field.text, field.mode]).toEqual(["", "message"]);
    type(key.up);
    expect([field.text, field.mode]).toEqual(["ls -la", "shell"]);
    type(key.up);
    expect([field.text, field.mode]).toEqual(["half a line", "message"]);
  });

  it("recalls text that begins with a slash as a message", () => {
    const { type, sent } = desk(walked());
    type(paste("/permission full"), key.enter, key.up, key.enter);
    expect(sent).toEqual([message("/permission full"), message("/permission full")]);
  });
});
