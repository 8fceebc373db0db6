import { expect, it } from "vitest";
import { MAX_SIZE, Packer, Unpacker } from "../../../plugins/relay/protocol/segments.ts";
import { usedBytes } from "../../memory.ts";

const MAX_TEXT = 16 * 1024 * 1024;
const MEGABYTES = 1024 * 1024;

/** A message of as many parts of one byte, each the letter A, as fit. */
function smallParts(): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(MAX_SIZE);
  for (let at = 0; at + 6 <= MAX_SIZE; at += 6) message.set([2, 0, 0, 0, 1, 65], at);
  return message;
}

it("a text in very small parts takes no more memory than its bytes", async () => {
  const unpacker = new Unpacker(MAX_TEXT);
  const before = await usedBytes();
  for (let count = 0; count < 400; count++) unpacker.unpack(smallParts());
  expect((await usedBytes()) - before).toBeLessThan(20 * MEGABYTES);
  const packer = new Packer();
  packer.add("end");
  const { texts } = unpacker.unpack(packer.next(false));
  expect([texts[0]?.length, texts[0]?.slice(-5)]).toEqual([400 * Math.floor(MAX_SIZE / 6) + 3, "AAend"]);
});

it("a text is joined from its parts up to the longest that is accepted", () => {
  const join = (length: number) => {
    const [packer, unpacker] = [new Packer(), new Unpacker(100_000)];
    packer.add("é".repeat(length / 2));
    packer.add("next");
    const texts: string[] = [];
    while (!packer.isEmpty) texts.push(...unpacker.unpack(packer.next(false)).texts);
    return texts.map((text) => text.length);
  };
  expect([join(2), join(100_000)]).toEqual([
    [1, 4],
    [50_000, 4],
  ]);
  expect(() => join(100_002)).toThrow("a text is too long");
});
