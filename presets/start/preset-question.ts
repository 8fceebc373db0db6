import { resolve } from "node:path";
import type { Launch } from "@scorel/cli/contract";
import { projectDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { TrustReview } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { createTrustService, knowledgeOf } from "../composition/trust.ts";
import { isPath, presetFileIn } from "../layers/preset-file.ts";

/**
 * Asks the user at a terminal whether to trust the preset that `--preset` names, by path or in the project, before any of it
 * is used. Without a terminal nothing is asked, and reading the preset fails later.
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

/** The review of the whole project: a preset of a project is trusted only together with the project. */
async function reviewOfProject(asked: Asked): Promise<TrustReview | undefined> {
  const dir = projectDir(asked.cwd);
  if (dir === undefined || presetFileIn(dir, asked.preset) === undefined) return undefined;
  return await createTrustService(asked).review(asked.cwd);
}
