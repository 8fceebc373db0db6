import type { RemoteClient } from "@scorel/host/client";
import { isReachable } from "../host/reachable.ts";
import type { Words } from "../words/words.ts";
import type { Field, Said } from "./field.ts";
import { meant } from "./line.ts";

/**
 * Waits until the line can be sent: a message for its files, and everything for an attempt to connect. Returns whether the host can be
 * reached; undefined if the line is not sent, because something else would be sent than was submitted. The field then says so.
 */
export async function readyToSend(
  field: Field,
  client: Pick<RemoteClient, "state" | "onState">,
  words: Pick<Words, "readingFiles" | "changedMeanwhile">,
): Promise<boolean | undefined> {
  const { said } = field;
  const isMessage = meant(field.get()).mode === "message";
  const reading: Said | undefined = isMessage && field.isReading ? { text: words.readingFiles } : undefined;
  if (reading) said.set(reading);
  let isThere = false;
  const ready = async () => {
    if (isMessage) await field.whole();
    isThere = await isReachable(client);
  };
  const withheld = await field.submitting.wait(ready());
  if (reading && said.get() === reading) said.set(undefined);
  if (withheld === "changed") said.set({ text: words.changedMeanwhile, isProblem: true });
  return withheld === undefined ? isThere : undefined;
}
