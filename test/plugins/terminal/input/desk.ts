import type { Client } from "@scorel/host/contract";
import { createDecoder } from "../../../../plugins/terminal/input/decoder.ts";
import { PromptField } from "../../../../plugins/terminal/input/field.ts";
import type { FieldParts } from "../../../../plugins/terminal/input/field-parts.ts";
import { createKeys } from "../../../../plugins/terminal/input/keys.ts";
import type { Component, Submission, Surroundings } from "../../../../plugins/terminal/parts.ts";

/** The part of the application that a field or picker needs, without colours. */
export function surroundings(more: Partial<Surroundings> = {}): Surroundings & { told: string[] } {
  const told: string[] = [];
  return {
    client: {} as Client,
    cwd: "/project",
    env: {},
    sessionId: "s1",
    status: undefined,
    queue: [],
    theme: { name: "none", style: (_role, text) => text },
    keys: createKeys(),
    rows: 30,
    redraw() {},
    tell: (text) => void told.push(text),
    suspended: (work) => work(),
    told,
    ...more,
  };
}

/** Sends input to a component as a terminal does. `paste(text)` makes the input for a paste. */
export function press(part: Component, ...inputs: readonly string[]): void {
  const decoder = createDecoder({ onInput: (data) => part.handleInput(data), later: () => () => {} });
  for (const input of inputs) {
    decoder.write(Buffer.from(input));
    decoder.end();
  }
}

export const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

/** Keys as terminals send them. */
export const key = {
  enter: "\r",
  escape: "\x1b",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  right: "\x1b[C",
  home: "\x1b[H",
  end: "\x1b[F",
  tab: "\t",
  undo: "\x1f",
  steer: "\x1bs",
  openPaste: "\x1bv",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
} as const;

/** A field, with everything that it submitted. */
export function desk(parts: FieldParts = {}, more: Partial<Surroundings> = {}) {
  const at = surroundings(more);
  const field = new PromptField(at, parts);
  const sent: Submission[] = [];
  const steered: Submission[] = [];
  const unused: string[] = [];
  field.onSubmit = (submission) => sent.push(submission);
  field.onSteer = (submission) => steered.push(submission);
  field.onUnused = (data) => unused.push(data);
  field.render(40);
  const type = (...inputs: readonly string[]) => {
    for (const input of inputs) {
      press(field, input);
      // Drawn again, since the arrow keys move by drawn lines.
      field.render(40);
    }
  };
  return { field, sent, steered, unused, type, at };
}

export const message = (text: string): Submission => ({ mode: "message", text, attachments: [] });
