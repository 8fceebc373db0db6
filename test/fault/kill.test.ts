import { readFileSync } from "node:fs";
import type { StoredEvent } from "@scorel/kernel";
import { expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { type Finished, scratch } from "../e2e/scorel.ts";
import { type RecordedRequest, type Script, startModelServer, text, toolCall, wait } from "../model-server.ts";

interface Said {
  role: string;
  content: unknown;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}
interface Heard {
  type: string;
  seq: number;
  id?: string;
  eventId?: string;
  delta?: string;
}
type Stored = StoredEvent & { message?: { content: string | { type: string; text?: string }[] } };

const said = (request: RecordedRequest | undefined): Said[] => request?.body.messages ?? [];
const heardIn = ({ stdout }: Finished) =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Heard);

it("a turn that is killed at any event loses no announced event or text, and can be continued", async () => {
  for (let seq = 1; ; seq++) {
    const { heard, stored, ended, resumed, legal } = await killedAt(seq);
    const known = new Map(stored.map((event) => [event.id, event]));
    const lost = heard.filter(({ id }) => id !== undefined && !known.has(id));
    const unread = [...spokenIn(heard)].filter(([id, words]) => !textOf(known.get(id)).startsWith(words));
    expect({ seq, lost, unread, legal, resumed }).toEqual({
      seq,
      lost: [],
      unread: [],
      legal: true,
      resumed: "Resumed\n",
    });
    if (!ended) continue;
    expect(seq).toBeGreaterThan(20);
    return;
  }
}, 300_000);

it("a result of a finished edit survives a kill while a command runs, and the resumed context is valid", async () => {
  using s = scratch();
  const note = s.file("note.txt", "hello\n");
  const batch = [
    toolCall("Edit", { file_path: "note.txt", old_string: "hello", new_string: "goodbye" }, { id: "edit" }),
    toolCall("Bash", { command: "echo pid $$; exec sleep 600" }, { id: "bash" }),
  ];
  await using server = await startModelServer([toolCall("Read", { file_path: "note.txt" }), batch, text("Resumed")]);
  s.useModel(server.baseUrl);
  const running = s.start(["-p", "Say goodbye", "--output", "events"]);
  const update = await running.line((line) => /"tool_execution_update".*pid \d+/.test(line));
  process.kill(running.pid, "SIGKILL");
  process.kill(Number(/pid (\d+)/.exec(update)?.[1]), "SIGKILL");
  await running.finished;

  expect(await s.run(["-p", "again", "--continue"])).toMatchObject({ code: 0, stdout: "Resumed\n" });
  const messages = said(server.requests.at(-1));
  expect(isLegal(messages)).toBe(true);
  const answers = messages.filter((message) => message.tool_call_id === "edit" || message.tool_call_id === "bash");
  expect(answers.map(({ content }) => content)).toEqual([expect.stringContaining("note.txt"), expect.any(String)]);
  expect(answers[0]?.content).not.toEqual(answers[1]?.content);
  expect(readFileSync(note, "utf8")).toBe("goodbye\n");
});

/** Reads a file, then replies; slow enough for the process to be killed between any two events. */
const script: Script = (request) => {
  const messages = said(request);
  if (messages.at(-1)?.content === "again") return text("Resumed");
  if (messages.at(-1)?.role === "tool") return [text("It "), wait(20), text("says "), wait(20), text("hello.")];
  return [
    text("Let me "),
    wait(20),
    text("look."),
    wait(20),
    toolCall("Read", { file_path: "note.txt" }, { pieces: 8 }),
  ];
};

/** Runs a turn, kills it at the event of this number, and resumes. `ended` if the turn had ended before. */
async function killedAt(seq: number) {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl);
  s.file("note.txt", "hello\n");
  const running = s.start(["-p", "What does note.txt say?", "--output", "events"]);
  const ended = await running
    .line((line) => (JSON.parse(line) as Heard).seq >= seq)
    .then(() => process.kill(running.pid, "SIGKILL"))
    .then(
      () => false,
      () => true,
    );
  const heard = heardIn(await running.finished);
  const resumed = await s.run(["-p", "again", heard.length > 0 ? "--continue" : "--cwd=."]);
  const logs = s.logs().map((path) => ({ path, events: scanLog(path).events as Stored[] }));
  return {
    heard,
    stored: logs.flatMap(({ events }) => events),
    ended,
    resumed: resumed.stdout,
    legal: isLegal(said(server.requests.at(-1))),
  };
}

/** The announced text of each message. */
function spokenIn(heard: readonly Heard[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const { type, eventId = "", delta = "" } of heard)
    if (type === "text_delta") words.set(eventId, (words.get(eventId) ?? "") + delta);
  return words;
}

function textOf(event: Stored | undefined): string {
  const content = event?.message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text: words = "" }) => words).join("");
}

/** Whether every call is followed by its result, and every result has a call. */
function isLegal(messages: readonly Said[]): boolean {
  const results = messages.flatMap((message) => message.tool_call_id ?? []);
  const answered = messages.flatMap((message, index) =>
    (message.tool_calls ?? []).map(({ id }, place) => messages[index + 1 + place]?.tool_call_id === id),
  );
  return answered.every(Boolean) && answered.length === results.length;
}
