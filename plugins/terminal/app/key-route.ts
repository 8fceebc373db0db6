import type { Keys } from "../keys.ts";
import type { Component, Field } from "../parts.ts";
import { type Actions, actionOf } from "./actions.ts";
import type { Contributed } from "./contributed.ts";
import type { Questions } from "./questions.ts";
import type { QueueKeys } from "./queue-keys.ts";

/** The parts of the application that take keys. */
interface KeyTakers {
  readonly keys: Keys;
  readonly questions: Questions;
  readonly queueKeys: QueueKeys;
  readonly actions: Actions;
  readonly contributed: Pick<Contributed, "press"> | undefined;
  readonly field: Field | undefined;
  /** Shown instead of everything else; it gets all keys. */
  readonly overlay: Component | undefined;
  leave(): void;
}

/** Passes each key to the first part that takes it. */
export class KeyRoute {
  private readonly to: KeyTakers;
  /** Keys that were pressed before the field was loaded. */
  private readonly early: string[] = [];

  constructor(to: KeyTakers) {
    this.to = to;
  }

  /** Passes on a key. Only a key that came alone may answer a question: several at once may be pasted text. */
  press(data: string, isAlone = false): void {
    const { overlay, queueKeys, questions, keys, field } = this.to;
    if (overlay) overlay.handleInput(data);
    else if (queueKeys.press(data)) questions.typed();
    else if ((isAlone || questions.isForForm) && questions.press(data, keys)) return;
    else if (!field) this.typedEarly(data);
    else {
      if (!keys.is(data, "interrupt")) questions.typed();
      field.handleInput(data);
    }
  }

  /** Handles a key that the field does not use: runs an action of the application, else a command of a plugin. */
  unused(data: string): void {
    const { keys, actions, contributed } = this.to;
    const action = actionOf(data, keys, actions);
    if (action) action();
    else contributed?.press(data);
  }

  /** Passes the keys that were pressed before the field was loaded to the field. */
  pressEarly(): void {
    for (const data of this.early.splice(0)) this.press(data);
  }

  private typedEarly(data: string): void {
    if (this.to.keys.is(data, "clear")) this.to.leave();
    else this.early.push(data);
  }
}
