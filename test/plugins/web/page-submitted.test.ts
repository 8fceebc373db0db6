import { expect, it, onTestFinished, vi } from "vitest";
import { attach } from "../../../plugins/web/page/chat/attach.ts";
import { Field } from "../../../plugins/web/page/chat/field.ts";
import { fieldOf, show } from "../../../plugins/web/page/chat/fields.ts";
import { type Line, messageOf } from "../../../plugins/web/page/chat/line.ts";
import { readyToSend } from "../../../plugins/web/page/chat/ready-to-send.ts";
import { wordsOf } from "../../../plugins/web/page/words/words.ts";
import { gate } from "../../model-server.ts";

const { words } = wordsOf(["en"]);
const client = { state: { state: "live" as const }, onState: () => () => {} } as never;

/** Lets everything run that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A field to which a file is added that the phone still has to load. */
function fieldWithSlowFile(text: string, bytes: string | Uint8Array<ArrayBuffer> = "one") {
  const loaded = gate();
  const file = new File([bytes], "slow.txt");
  const { arrayBuffer } = Blob.prototype;
  file.arrayBuffer = async () => {
    await loaded.promise;
    return arrayBuffer.call(file);
  };
  const field = new Field(`submitted: ${text}`);
  field.set(messageOf(text));
  const attached = attach(field, [file], words);
  const load = async () => {
    loaded.open();
    await attached;
    await settle();
  };
  return { field, load };
}

/** Submits what is in the field. `sent` has what is sent, as soon as it is. */
function submit(field: Field): { sent: Line[] } {
  const sent: Line[] = [];
  void readyToSend(field, client, words).then((isThere) => {
    if (isThere) sent.push(field.get());
  });
  return { sent };
}

const command: Line = { mode: "shell", isSilent: false, text: "rm -r bui" };

it("a message waits for its files, says so, and goes with them", async () => {
  const t = fieldWithSlowFile("Compare:");
  const { sent } = submit(t.field);
  await settle();
  expect([sent, t.field.said.get()]).toEqual([[], { text: words.readingFiles }]);
  await t.load();
  expect(sent).toEqual([expect.objectContaining({ text: "Compare:\n\nslow.txt:\n```\none\n```\n" })]);
  expect(t.field.said.get()).toBe(undefined);
});

it("nothing is sent or run in its place that is written while a message waits for its files", async () => {
  const t = fieldWithSlowFile("Look at this.");
  const { sent } = submit(t.field);
  await settle();
  t.field.set(messageOf("Look at this. And"));
  await settle();
  expect(t.field.said.get()).toEqual({ text: words.changedMeanwhile, isProblem: true });
  t.field.set(command);
  await t.load();
  expect([sent, t.field.get()]).toEqual([[], command]);
});

it("a message that is submitted again after a change is sent once, as it then is", async () => {
  const t = fieldWithSlowFile("Luk at this.");
  const first = submit(t.field);
  t.field.set(messageOf("Look at this."));
  const both = [submit(t.field), submit(t.field)];
  await t.load();
  const text = "Look at this.\n\nslow.txt:\n```\none\n```\n";
  expect([first, ...both].map(({ sent }) => sent.map((line) => line.text))).toEqual([[], [], [text]]);
});

it("a message is not sent without a file that turns out to be none for messages", async () => {
  const t = fieldWithSlowFile("What is this?", new Uint8Array([0, 1, 2]));
  const { sent } = submit(t.field);
  await t.load();
  expect([sent, t.field.get().text]).toEqual([[], "What is this?"]);
  expect(t.field.said.get()).toEqual({ text: `slow.txt: ${words.refused.unknown}`, isProblem: true });
});

it("a shell line or command does not wait for a file that never arrives", async () => {
  const t = fieldWithSlowFile("");
  t.field.set(command);
  const { sent } = submit(t.field);
  await settle();
  expect(sent).toEqual([command]);
  t.field.set(messageOf("a message"));
  await t.load();
});

it("a file that arrives after its session was left is in the field when the session is shown again", async () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const t = fieldWithSlowFile("Left:");
  const { place } = t.field;
  show(t.field)();
  await settle();
  expect(fieldOf(place)).toBe(t.field);
  await t.load();
  expect(fieldOf(place).get().text).toBe("Left:\n\nslow.txt:\n```\none\n```\n");
});
