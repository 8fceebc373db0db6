import { resolve } from "node:path";
import type { Launch } from "@scorel/cli/contract";
import { projectDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { TrustReview } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { createTrustService, knowledgeOf } from "../composition/trust.ts";
import { isPath, presetFileIn } from "../layers/preset-file.ts";

/**
 * Asks a person at a terminal about a preset that is not trusted yet, before anything of it is used: one that was named by
 * its path, or one of the project's that was named. Programs are not asked: to them it is refused.
 */
export async function askAboutPreset(
  asked: Asked,
  { stdin, stdout, interrupt }: Pick<Launch, "stdin" | "stdout" | "interrupt">,
): Promise<void> {
  if (asked.trust || !stdin.isTTY || !stdout.isTTY) return;
  const review = isPath(asked.preset) ? await reviewOfPath(asked) : await reviewOfProject(asked);
  if (!review) return;
  const { decide } = await import("@scorel/trust/question");
  if (await decide(review, { stdin, stdout, interrupt })) await review.accept();
}

async function reviewOfPath(asked: Asked): Promise<TrustReview | undefined> {
  const path = canonical(resolve(asked.cwd, asked.preset));
  if (isWithin(canonical(userDir()), path)) return undefined;
  return await (await import("@scorel/trust/presets")).reviewPresetAt(path, await knowledgeOf(asked));
}

/** A project whose preset was named has to be trusted as a whole. */
async function reviewOfProject(asked: Asked): Promise<TrustReview | undefined> {
  const dir = projectDir(asked.cwd);
  if (dir === undefined || presetFileIn(dir, asked.preset) === undefined) return undefined;
  return await createTrustService(asked).review(asked.cwd);
}
