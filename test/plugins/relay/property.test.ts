import { describe, expect, it } from "vitest";
import {
  decodeFrames,
  encodeFrame,
  type FrameType,
  frameRules,
  MAX_MESSAGE,
} from "../../../plugins/relay/protocol/frames.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import { Packer, SIZES, Unpacker } from "../../../plugins/relay/protocol/segments.ts";
import { fc, seed } from "../../property.ts";

const bytesUpTo = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => new Uint8Array(bytes) as Bytes);

describe(`frames (SEED=${seed})`, () => {
  const frame = fc
    .constantFrom<FrameType>("ping", "pong", "data", "close", "join")
    .chain((type) => {
      const { route, size } = frameRules[type];
      const routes = route === "some" ? fc.bigInt(1n, 2n ** 64n - 1n) : fc.constant(0n);
      const payload = fc.uint8Array({ minLength: size[0], maxLength: Math.min(size[1], 300) });
      return fc.record({ type: fc.constant(type), route: routes, payload });
    })
    .map((made) => ({ ...made, payload: new Uint8Array(made.payload) as Bytes }));

  it("come out of a message as they went in", () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 20 }), (frames) => {
        const each = frames.map(({ type, route, payload }) => encodeFrame(type, route, payload));
        const message = new Uint8Array(each.flatMap((bytes) => [...bytes]));
        const decoded = decodeFrames(message, "client", "relay");
        expect(decoded).toEqual(frames.map((made, index) => ({ ...made, bytes: each[index] })));
      }),
    );
  });

  it("are read from no other bytes than those that encode them", () => {
    fc.assert(
      fc.property(fc.oneof(bytesUpTo(200), frame.chain(changed)), (message) => {
        let decoded: ReturnType<typeof decodeFrames>;
        try {
          decoded = decodeFrames(message, "client", "relay");
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "RELAY_FRAME" });
          return;
        }
        const again = decoded.flatMap(({ type, route, payload }) => [...encodeFrame(type, route, payload)]);
        expect(new Uint8Array(again)).toEqual(message);
        expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE);
      }),
      { numRuns: 2_000 },
    );
  });

  function changed({ type, route, payload }: { type: FrameType; route: bigint; payload: Bytes }) {
    const bytes = encodeFrame(type, route, payload);
    return fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, value]) => {
      const message = bytes.slice();
      message[at] = value;
      return message;
    });
  }
});

describe(`segments (SEED=${seed})`, () => {
  const text = fc.oneof(
    fc.string({ maxLength: 400, unit: "grapheme" }),
    fc.integer({ min: 30_000, max: 100_000 }).map((length) => "ä€".repeat(length / 5)),
  );
  const step = fc.oneof({ arbitrary: text, weight: 4 }, fc.constantFrom(true, false));

  it("carry texts of all lengths in their order, in messages of few sizes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const packer = new Packer();
        const unpacker = new Unpacker(1_000_000);
        const got: string[] = [];
        const sizes = new Set<number>();
        const pump = (isRekey: boolean) => {
          const message = packer.next(isRekey);
          const told = unpacker.unpack(message);
          expect(told.isRekeyed).toBe(isRekey);
          sizes.add(message.length);
          got.push(...told.texts);
          return told;
        };
        for (const each of steps) {
          if (typeof each === "string") packer.add(each);
          else pump(each);
        }
        packer.end();
        let isEnd = false;
        while (!packer.isEmpty) isEnd = pump(false).isEnd;
        expect({ got, isEnd, bytes: packer.bytes }).toEqual({
          got: steps.filter((each) => typeof each === "string"),
          isEnd: true,
          bytes: 0,
        });
        expect([...sizes].every((size) => (SIZES as readonly number[]).includes(size))).toBe(true);
      }),
    );
  });

  it("are read from no bytes that a packer would not make", () => {
    const size = fc.constantFrom(...SIZES.slice(0, 2));
    const near = fc.tuple(size, bytesUpTo(60)).map(([length, begin]) => {
      const message = new Uint8Array(length);
      message.set(begin);
      return message;
    });
    fc.assert(
      fc.property(fc.oneof(near, bytesUpTo(300)), (message) => {
        try {
          new Unpacker(1_000).unpack(message);
        } catch (thrown) {
          // The error must state the problem; a RangeError of the runtime would mean an unchecked length.
          expect(thrown).not.toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
