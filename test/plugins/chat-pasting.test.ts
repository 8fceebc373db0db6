import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { PastedTexts } from "../../plugins/chat/pasted-texts.ts";
import { type KeyStream, TerminalInput } from "../../plugins/chat/terminal-input.ts";
import { delayUntil, text } from "../model-server.ts";
import { fc } from "../property.ts";
import { people } from "./chat-people.ts";

const pasted = (words: string) => `\u001b[200~${words}\u001b[201~`;
const CTRL_C = "\u0003";

/** The users' messages in the session. */
async function said(t: Awaited<ReturnType<typeof people>>): Promise<unknown[]> {
  const { messages } = await t.client.request("get_context", { sessionId: t.sessionId });
  return messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
}

it("a paste of several lines is one message, sent with Enter, whatever it begins with", async () => {
  await using t = await people((index) => [text(`answer ${index}`)]);
  const anna = await t.person();
  anna.type(pasted("/permission full\r\n  second\rthird\n"));
  await anna.shows("[pasted 1: 3 lines]");
  anna.type(" and typed\r");
  await anna.shows("answer 0");
  anna.type(pasted("/exit"));
  await anna.shows("/exit");
  anna.type("\r");
  await anna.shows("answer 1");
  expect(await said(t)).toEqual(["/permission full\n  second\nthird and typed", "/exit"]);
  // After Ctrl-U the line is typed anew, so it is a command; a paste behind its beginning does not change that.
  anna.type(`${pasted("/help")}\u0015/exit${pasted(" ")}\r`);
  expect(await anna.code).toBe(0);
});

it("a pasted message that is taken back from the queue keeps its lines and stays a message", async () => {
  await using t = await people((index) =>
    index === 0 ? [text("words "), delayUntil(new Promise(() => {}))] : [text(`answer ${index}`)],
  );
  const anna = await t.person();
  anna.type("go\r");
  await anna.shows("words");
  anna.type(pasted("/exit\nnow"));
  await anna.shows("[pasted 1: 2 lines]");
  anna.type("\r");
  await anna.shows("(queued:");
  anna.type(CTRL_C);
  await anna.shows("[pasted 2: 2 lines]");
  anna.type("\r");
  await anna.shows("answer 1");
  expect(await said(t)).toEqual(["go", "/exit\nnow"]);
});

/** The keys and pastes in a terminal's input. */
function read(chunks: readonly string[]) {
  const stdin = new EventEmitter();
  const input = new TerminalInput(stdin as unknown as KeyStream, new PassThrough());
  const events: [string, string][] = [];
  for (const type of ["data", "paste"])
    input.on(type, (words: string) => {
      const last = events.at(-1);
      if (type === "data" && last?.[0] === type) last[1] += words;
      else events.push([type, words]);
    });
  for (const chunk of chunks) stdin.emit("data", Buffer.from(chunk, "latin1"));
  stdin.emit("end");
  input.end();
  return events;
}

it("pastes are distinguished from keys wherever the bytes are cut", () => {
  const bytes = Buffer.from(`é\u001b[A${pasted("zwei\rZeilen ü")}\u001b${pasted("")}x\u001b[20`).toString("latin1");
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(cuts, (sizes) => {
      const chunks: string[] = [];
      for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        chunks.push(bytes.slice(at, at + size));
        at += size;
      }
      expect(read(chunks)).toEqual([
        ["data", "é\u001b[A"],
        ["paste", "zwei\rZeilen ü"],
        ["data", "\u001b"],
        ["paste", ""],
        ["data", "x\u001b[20"],
      ]);
    }),
  );
});

it("the lines of a paste are sent as they were, also if they look like the mark of another", () => {
  const texts = new PastedTexts();
  const [one, two] = [texts.insert("a\n[pasted 2: 2 lines]"), texts.insert("b\r\nc\r\n")];
  expect([one, two, texts.insert("tab\there 🙂")]).toEqual([
    "[pasted 1: 2 lines]",
    "[pasted 2: 2 lines]",
    "tab\there 🙂",
  ]);
  expect(texts.insert("\u001b[2J")).toBe("[pasted 3: 4 characters]");
  expect(texts.expand(`x ${one} ${two} [pasted 9: 1 lines]`)).toBe("x a\n[pasted 2: 2 lines] b\nc [pasted 9: 1 lines]");
});

it("reads a large paste in many pieces", () => {
  const stdin = Object.assign(new EventEmitter(), { pause() {}, resume() {}, setRawMode() {} });
  const input = new TerminalInput(stdin as KeyStream, new PassThrough());
  const pastes: string[] = [];
  input.on("paste", (words: string) => pastes.push(words));
  const piece = `${"x".repeat(4_090)}\u001b[20`;
  const pieces = ["\u001b[20", "0~", ...Array<string>(1_000).fill(piece), "\u001b[2", "01~"];
  for (const each of pieces) stdin.emit("data", Buffer.from(each));
  input.end();
  expect(pastes).toEqual([piece.repeat(1_000)]);
});

it("the inputs of many terminals listen once for the end of the process, and not after they have ended", () => {
  const listeners = () => process.listenerCount("exit");
  const before = listeners();
  const stdin = () => Object.assign(new EventEmitter(), { setRawMode: () => {} }) as unknown as KeyStream;
  const inputs = Array.from({ length: 12 }, () => new TerminalInput(stdin(), new PassThrough()).setRawMode(true));
  const during = listeners();
  for (const input of inputs) input.end();
  expect([during, listeners()]).toEqual([before + 1, before]);
});
