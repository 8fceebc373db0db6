import type { KeyAction } from "../keys.ts";

/** For each action of editing, a key that pi-tui's editor binds to it, as a sequence that is valid with and without the Kitty protocol. */
export const sequences = {
  lineUp: "\x1b[A",
  lineDown: "\x1b[B",
  charLeft: "\x1b[D",
  charRight: "\x1b[C",
  wordLeft: "\x1b[1;3D",
  wordRight: "\x1b[1;3C",
  lineStart: "\x01",
  lineEnd: "\x05",
  deleteBackward: "\x7f",
  deleteForward: "\x1b[3~",
  deleteWordBackward: "\x17",
  deleteWordForward: "\x1b[3;3~",
  deleteToStart: "\x15",
  deleteToEnd: "\x0b",
  yank: "\x19",
  yankOlder: "\x1b[121;3u",
  undo: "\x1f",
} as const satisfies Partial<Record<KeyAction, string>>;

export type EditAction = keyof typeof sequences;
export const editActions = Object.keys(sequences) as readonly EditAction[];
