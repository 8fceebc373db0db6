import { describe, expect, it } from "vitest";
import { removeRepeatedIds } from "../../plugins/model/wire/same-ids.ts";
import { raw, startModelServer } from "../model-server.ts";
import { withModel } from "../model-service.ts";

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (index: number | undefined, id: string | undefined, name?: string, args = "") =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] });
const end = `${chunk({}, "tool_calls")}data: [DONE]\n\n`;

/** The calls that the library reads from a reply with these bytes. */
async function callsOf(...pieces: string[]) {
  await using server = await startModelServer([raw(pieces.join("") + end)]);
  await using model = await withModel({ api: "openai-completions", baseUrl: server.baseUrl });
  const reply = await (await model.stream({ messages: [] }, {})).result();
  return reply.content.map((block) => (block.type === "toolCall" ? [block.id, block.name, block.arguments] : block));
}

describe("calls of one reply with the same id", () => {
  it("are distinguished by their index, and the second loses its id", async () => {
    expect(
      await callsOf(
        call(0, "same", "Read", '{"file'),
        call(0, undefined, undefined, '":"a"}'),
        call(1, "same", "Read", '{"file'),
        call(1, undefined, undefined, '":"b"}'),
      ),
    ).toEqual([
      ["same", "Read", { file: "a" }],
      ["", "Read", { file: "b" }],
    ]);
  });

  it("are distinguished if each piece repeats the id, and if the indexes alternate", async () => {
    expect(
      await callsOf(
        call(0, "same", "Read", '{"file'),
        call(1, "same", "Grep", '{"pattern'),
        call(0, "same", undefined, '":"a"}'),
        call(1, "same", undefined, '":"b"}'),
      ),
    ).toEqual([
      ["same", "Read", { file: "a" }],
      ["", "Grep", { pattern: "b" }],
    ]);
  });
});

describe("one call", () => {
  it("stays one call if its index changes or is missing", async () => {
    const read = [["same", "Read", { file: "a" }]];
    expect(await callsOf(call(0, "same", "Read", '{"file'), call(3, "same", undefined, '":"a"}'))).toEqual(read);
    expect(await callsOf(call(undefined, "same", "Read", '{"file'), call(undefined, "same", "", '":"a"}'))).toEqual(
      read,
    );
  });
});

it("everything else passes unchanged, however it is split", () => {
  const body = `: hello\r\n\r\ndata: {"tool_calls" no "id" json\n\n${call(0, "a", "Read", "{}")}data: "tool_calls"\n\n${chunk({ content: "é" })}no end`;
  const bytes = Buffer.from(body);
  for (const size of [1, 7, bytes.length]) {
    const { piece, end } = removeRepeatedIds();
    const passed = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      piece(bytes.subarray(at * size, (at + 1) * size)),
    );
    expect(Buffer.concat([...passed, end()]).toString("utf8")).toBe(body);
  }
});
