import type { KeyAction, Keys } from "../keys.ts";

/** Milliseconds within which a key pressed again counts as pressed twice. */
export const TWICE_MS = 1_500;

/** Actions for the keys that the field does not use. */
export type Actions = Partial<Record<KeyAction, () => void>>;

/** The action that a key is bound to; undefined if it is bound to none of `actions`. */
export function actionOf(data: string, keys: Keys, actions: Actions): (() => void) | undefined {
  const name = (Object.keys(actions) as KeyAction[]).find((action) => keys.is(data, action));
  return name && actions[name];
}

/** Tells whether a key was pressed twice within `TWICE_MS`. */
export class DoublePress {
  private at = Number.NEGATIVE_INFINITY;

  again(now: number): boolean {
    const isAgain = now - this.at < TWICE_MS;
    this.at = isAgain ? Number.NEGATIVE_INFINITY : now;
    return isAgain;
  }
}
