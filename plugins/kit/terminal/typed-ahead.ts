import { setImmediate as nextTurn } from "node:timers/promises";

/** Number of event loop turns within which Node certainly reads pending input once. */
const TURNS = 3;
const CTRL_C = "\x03";

/**
 * Discards input that was typed before a question appears, since it was not meant as its answer. Resolves to whether
 * Ctrl-C was pressed in the meantime, or `interrupt` was aborted.
 */
export async function dropTypedAhead(stdin: NodeJS.ReadStream, interrupt: AbortSignal): Promise<boolean> {
  let isLeft = false;
  const drop = (data: Buffer | string) => {
    isLeft ||= data.includes(CTRL_C);
  };
  // Without raw mode, the terminal delivers a line only once Enter is pressed.
  stdin.setRawMode(true);
  stdin.on("data", drop);
  stdin.resume();
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  stdin.pause();
  stdin.off("data", drop);
  stdin.setRawMode(false);
  return isLeft || interrupt.aborted;
}
