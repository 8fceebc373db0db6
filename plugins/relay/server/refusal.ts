import type { ErrorName } from "../protocol/frames.ts";

/** Why a peer does not get what its frame asks for. With `ends`, its connection ends. */
export class Refusal extends Error {
  readonly reason: ErrorName;
  readonly ends: boolean;

  constructor(reason: ErrorName, text: string, { ends = false } = {}) {
    super(text);
    this.reason = reason;
    this.ends = ends;
  }
}
