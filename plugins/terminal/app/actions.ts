import type { KeyAction, Keys } from "../keys.ts";

/** How soon a key is pressed again to count as pressed twice, in milliseconds. */
const TWICE_MS = 1_500;

/** What the application does at keys that the field has no use for. */
export type Actions = Partial<Record<KeyAction, () => void>>;

/** The action of a key among those that there are; undefined for other keys. */
export function actionOf(data: string, keys: Keys, actions: Actions): (() => void) | undefined {
  const name = (Object.keys(actions) as KeyAction[]).find((action) => keys.is(data, action));
  return name && actions[name];
}

/** Tells whether something is done for the second time within a moment. */
export class Twice {
  private at = Number.NEGATIVE_INFINITY;

  again(now: number): boolean {
    const isAgain = now - this.at < TWICE_MS;
    this.at = isAgain ? Number.NEGATIVE_INFINITY : now;
    return isAgain;
  }
}
