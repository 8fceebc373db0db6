import { resolve } from "node:path";
import type { Asked } from "../composition/asked.ts";
import { canonical, isWithin, userDir } from "../paths.ts";
import type { Signals } from "../start/signals.ts";
import { presetAt } from "../store/package.ts";
import { reviewPreset } from "./preset-trust.ts";

/**
 * Asks a person at a terminal about a preset that was named by its path and is not trusted yet, before anything of it is
 * used. Programs are not asked: to them it is refused.
 */
export async function askAboutPreset(asked: Asked, { interrupt }: Pick<Signals, "interrupt">): Promise<void> {
  const { stdin, stdout } = process;
  const path = canonical(resolve(asked.cwd, asked.preset));
  if (asked.trust || !stdin.isTTY || !stdout.isTTY || isWithin(canonical(userDir()), path)) return;
  const ground = presetAt(path);
  const review = ground && (await reviewPreset(ground, asked, false));
  if (!review) return;
  const { decide } = await import("@scorel/trust/question");
  if (await decide(review, { stdin, stdout, interrupt })) await review.accept();
}
