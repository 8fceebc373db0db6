import { setImmediate as nextTurn } from "node:timers/promises";

/** Turns of the event loop in which Node certainly looks once for input that has arrived. */
const TURNS = 3;
const CTRL_C = "\x03";

/**
 * Drops what was typed at a terminal before a question appears: it was meant for something else, and must not be the answer. Resolves to
 * whether there is still somebody to ask: no one has pressed Ctrl-C meanwhile, and the terminal is there.
 */
export async function dropTypedAhead(stdin: NodeJS.ReadStream, interrupt: AbortSignal): Promise<boolean> {
  let isLeft = false;
  const drop = (data: Buffer | string) => {
    isLeft ||= data.includes(CTRL_C);
  };
  // Without it, the terminal keeps a line until its end is typed.
  stdin.setRawMode(true);
  stdin.on("data", drop);
  stdin.resume();
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  stdin.pause();
  stdin.off("data", drop);
  stdin.setRawMode(false);
  return !isLeft && !interrupt.aborted && !stdin.readableEnded;
}
