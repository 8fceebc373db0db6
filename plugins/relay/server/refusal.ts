import type { ErrorName } from "../protocol/frames.ts";

/** Refuses what a frame asks for, with a reason for the peer. With `ends`, the peer's connection is closed. */
export class Refusal extends Error {
  readonly reason: ErrorName;
  readonly ends: boolean;

  constructor(reason: ErrorName, text: string, { ends = false } = {}) {
    super(text);
    this.reason = reason;
    this.ends = ends;
  }
}
