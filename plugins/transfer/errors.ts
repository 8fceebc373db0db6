import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TRANSFER_NO_HOST: {
    exit: 2,
    text: () => 'This command needs sessions to work on. Remove "host" from "without" in the preset.',
  },
  TRANSFER_ENDING: {
    exit: 2,
    text: (a: { ending: string }) =>
      `A session cannot be written as ${JSON.stringify(a.ending)}, so nothing was written. Name a file that ends in .md, .html or .jsonl, or specify the format: --format md`,
  },
  TRANSFER_EXISTS: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} already exists, so nothing was written. Name another file, or add --force to replace it.`,
  },
  TRANSFER_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be used: ${a.reason}. Nothing was changed; choose another file.`,
  },
  TRANSFER_TOO_LARGE: {
    exit: 2,
    text: (a: { path: string; limit: string }) =>
      `${a.path} is larger than ${a.limit}, which is the maximum. Nothing was written.`,
  },
  TRANSFER_LONG: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `Session ${a.sessionId} is too long to be returned as text. Write it to a file with --out.`,
  },
  TRANSFER_UNKNOWN: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} does not look like a session file of Scorel, Claude Code, Codex or pi. If it is one, name its program with --format.`,
  },
  TRANSFER_NEWER: {
    exit: 2,
    text: (a: { path: string; version: number }) =>
      `${a.path} was written by a newer Scorel (format ${a.version}). Nothing was written; update Scorel first.`,
  },
  TRANSFER_EMPTY: {
    exit: 2,
    text: (a: { path: string }) => `${a.path} has no readable messages, so no session was created.`,
  },
});
