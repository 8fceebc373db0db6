import { copiedPart, obeyed } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { CommandLines } from "../../plugins/chat/command-lines.ts";
import { Conversation } from "../../plugins/terminal/app/conversation.ts";
import type { Listener } from "../../plugins/terminal/app/listener.ts";
import { ShownSession } from "../../plugins/terminal/app/shown-session.ts";
import { en } from "../../plugins/terminal/words/en.ts";
import { enter } from "../../plugins/web/page/chat/send.ts";

/** A host that answers every command with this result. */
function hostile(answer: object) {
  return { request: async () => ({ output: "fine", ...answer }), drained: async () => {} } as never;
}

const clients: [name: string, run: (line: string, answer: object) => Promise<object>][] = [
  [
    "the terminal application",
    async (line, answer) => {
      const did = {};
      const listener = {
        told: () => {},
        copied: (copy: string) => Object.assign(did, { copy }),
        offered: ({ text, mode = "message", attachments = [] }: Parameters<Listener["offered"]>[0]) =>
          Object.assign(did, { input: [text, mode] }, attachments.length > 0 && { attachments }),
      };
      const session = new ShownSession(hostile(answer), listener as never, en);
      const conversation = new Conversation(hostile(answer), session, listener as never, en);
      session.view = { sessionId: "s1", status: { connection: "connected" } } as never;
      await conversation.command(line);
      return did;
    },
  ],
  [
    "plain chat",
    async (line, answer) => {
      let did = {};
      const done = async ({ copy, input }: ReturnType<typeof obeyed>) => {
        did = {
          ...(copy !== undefined && { copy }),
          ...(input && { input: [input.text.slice(input.isCommand ? 1 : 0), input.isCommand ? "command" : "message"] }),
        };
      };
      const screen = { line: async (text: string) => expect.fail(text) };
      const lines = new CommandLines(hostile(answer), screen as never, {
        session: { sessionId: "s1", attendAgain: async () => {} },
        done,
      });
      const [name = "", ...args] = line.split(" ");
      await lines.run(name, args.join(" "));
      return did;
    },
  ],
  [
    "the page",
    async (line, answer) => {
      const typed = { line: { mode: "command", text: line, isSilent: false }, pictures: [], running: "steer" } as const;
      const { copy, input } = await enter(hostile(answer), "s1", typed);
      return {
        ...(copy !== undefined && { copy }),
        ...(input && { input: [input.text.slice(input.isCommand ? 1 : 0), input.isCommand ? "command" : "message"] }),
      };
    },
  ],
];

describe.each(clients)("a host's answer to a command in %s", (_name, run) => {
  it("is copied only if the person asked for it", async () => {
    expect(await run("cost", { copy: "rm -rf .\n" })).toEqual({});
    expect(await run("copying", { copy: "rm -rf .\n" })).toEqual({});
    expect(await run("copy", { copy: "the answer" })).toEqual({ copy: "the answer" });
    expect(await run("copy", { copy: 3 })).toEqual({});
  });

  it.each(["!id", "!!id", "/permission full", "/", "/cost\n/x", "/costs", "words"])(
    "is a message in the field if it is %j",
    async (input) => {
      expect(await run("cost", { input })).toEqual({ input: [input, "message"] });
    },
  );

  it("is a command in the field if it repeats the one that was run", async () => {
    expect(await run("rewind 3", { input: "/rewind 3 --yes" })).toEqual({ input: ["rewind 3 --yes", "command"] });
  });
});

it("pictures of an answer come into the field with its text; what is no picture is left out", () => {
  const picture = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const odd = [null, "x", { type: "image" }, { type: "text", text: "x" }] as never[];
  expect(obeyed("undo", { input: "see [image #1]", pictures: [...odd, picture] })).toEqual({
    input: { text: "see [image #1]", isCommand: false, pictures: [picture] },
  });
  expect(obeyed("undo", { input: "hi", pictures: "x" as never })).toEqual({
    input: { text: "hi", isCommand: false, pictures: [] },
  });
});

it("the terminal application attaches the pictures of an answer to the text in the field", async () => {
  const run = clients[0]?.[1] as (typeof clients)[number][1];
  const pictures = [{ type: "image", data: "aGk=", mimeType: "image/png" }];
  expect(await run("undo", { input: "see [image #1]", pictures })).toEqual({
    input: ["see [image #1]", "message"],
    attachments: [{ mark: "[image #1]", image: Buffer.from("hi") }],
  });
});

it("the announced beginning of copied text is one line", () => {
  expect(copiedPart("\n  one\r\ntwo")).toEqual([11, "one"]);
  expect(copiedPart("x".repeat(70))).toEqual([70, `${"x".repeat(60)}…`]);
  expect(copiedPart("")).toEqual([0, ""]);
});
