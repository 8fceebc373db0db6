import { LONGEST_PART, partsOf } from "@scorel/kit/net/parts";

/** The first byte of a message of text in one frame. Frames of servers are not masked (RFC 6455, section 5.2). */
const TEXT = 0x81;
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;

/** The most bytes of a message whose frame is kept: a longer one is hardly sent to many clients. */
const MAX_KEPT = 256 * 1024;

/** The frame of a text message. */
export const frameOf = keepingLatest(createFrame);

const partFramesOf = keepingLatest((text) => Buffer.concat(partsOf(text).map(createFrame)));

/** The frame of a text message or, if it is long, the frames of its parts. */
export function framesOf(text: string): Buffer {
  return text.length <= LONGEST_PART ? frameOf(text) : partFramesOf(text);
}

/** Keeps the latest result, since most messages are sent to several clients one after the other. */
function keepingLatest(create: (text: string) => Buffer): (text: string) => Buffer {
  let latest = { text: "", frame: create("") };
  return (text) => {
    if (latest.text === text) return latest.frame;
    const frame = create(text);
    if (text.length <= MAX_KEPT) latest = { text, frame };
    return frame;
  };
}

function createFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const start = length < LENGTH_IN_16_BITS ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = TEXT;
  frame[1] = start === 2 ? length : start === 4 ? LENGTH_IN_16_BITS : LENGTH_IN_64_BITS;
  if (start === 4) frame.writeUInt16BE(length, 2);
  else if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, start);
  return frame;
}
