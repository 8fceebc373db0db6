import type { QueuedMessage } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { OwnMessages } from "../../../plugins/terminal/app/own-messages.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { png, quarters } from "../images/pictures.ts";

/** Sends messages to a host that queues them with these contents, and takes them back. Returns what the field gets. */
function takenBack(...contents: QueuedMessage["content"][]) {
  return takenFrom(contents.map((content, at) => ({ id: `${at}`, content, mode: "follow_up", clientId: "me" })));
}

async function takenFrom(queue: QueuedMessage[]) {
  const answers: Record<string, (number: number) => unknown> = {
    send_message: (number) => ({ id: `${number}`, status: "queued" }),
    wait_turn: () => new Promise(() => {}),
    get_queue: () => ({ items: queue, seq: 1 }),
    rewrite_queue: () => ({}),
  };
  let number = 0;
  const client = { request: async (name: string) => answers[name]?.(name === "send_message" ? number++ : 0) };
  const offered: unknown[] = [];
  const listener = { told: () => () => {}, offered: (entered: unknown) => void offered.push(entered) };
  const own = new OwnMessages({ client: client as never, words: en, listener, sessionId: () => "s" });
  for (const { id } of queue) await own.send("s", { text: "as it was sent", messageId: id }, "follow_up");
  await own.takeBack("s");
  return offered;
}

const pictures = [png(2, 2, quarters(2, 2)), png(4, 4, quarters(4, 4))] as const;
const [first, second] = pictures.map((bytes) => ({
  ...{ type: "image" as const, mimeType: "image/png", data: bytes.toString("base64") },
})) as [Block, Block];
type Block = { type: "image"; mimeType: string; data: string };
const words = (text: string) => ({ type: "text" as const, text });

it("messages that are taken back bring their pictures along", async () => {
  const contents = [[words("[image #1] or [image /a/b.png]?"), first, second], "and this"];
  expect(await takenBack(...contents)).toEqual([
    {
      text: "[image #1] or [image /a/b.png]?\n\nand this",
      mode: "message",
      silent: false,
      attachments: [
        { mark: "[image #1]", image: pictures[0] },
        { mark: "[image /a/b.png]", image: pictures[1] },
      ],
    },
  ]);
});

it.each([
  ["What do you see?", "What do you see? [image #1] [image #2]", ["[image #1]", "[image #2]"]],
  ["Only [image #2]", "Only [image #2] [image #1] [image #3]", ["[image #1]", "[image #3]"]],
  ["", "[image #1] [image #2]", ["[image #1]", "[image #2]"]],
])("pictures whose marks are not in the text any more get marks: %j", async (edited, text, marks) => {
  const attachments = pictures.map((image, at) => ({ mark: marks[at], image }));
  expect(await takenBack([words(edited), first, second])).toEqual([
    { text, mode: "message", silent: false, attachments },
  ]);
});

it("messages that are taken back are in the order in which they were shown, those for the running turn first", async () => {
  const queued = (id: string, mode: QueuedMessage["mode"]) => ({ id, content: `words ${id}`, mode, clientId: "me" });
  const offered = await takenFrom([queued("0", "follow_up"), queued("1", "steer"), queued("2", "follow_up")]);
  expect(offered).toEqual([{ text: "words 1\n\nwords 0\n\nwords 2", mode: "message", silent: false, attachments: [] }]);
});

it.each([
  ["that nobody can tell", Object.assign(new Error("There is no such turn."), { code: "AGENT_TURN_UNKNOWN" }), 1],
  [
    "with the process that ran it, which the conversation shows",
    Object.assign(new Error("gone"), { code: "LINK_ENDED" }),
    0,
  ],
])("the end of a turn %s", async (_, thrown, count) => {
  const told: string[] = [];
  const request = async (name: string) => {
    if (name === "wait_turn") throw thrown;
    return { id: "m", status: "started" };
  };
  const tell = (text: string) => {
    told.push(text);
    return () => {};
  };
  const listener = { told: tell, offered() {} };
  const own = new OwnMessages({ client: { request } as never, words: en, listener, sessionId: () => "s" });
  await own.send("s", { text: "go", messageId: "m" }, "follow_up");
  await new Promise(setImmediate);
  expect(told).toEqual(Array(count).fill(thrown.message));
});
