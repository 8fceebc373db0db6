import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import type { ExecutorFiles } from "./executor.ts";
import { type Answers, type Questions, withAnswers } from "./file-cache.ts";

/**
 * Limits for one call: how often it is judged again with new answers, and how many questions about files it may ask.
 */
const MAX_ROUNDS = 20;
const MAX_QUESTIONS = 2_000;

/**
 * Judges a call whose files are on another computer. `judge` is synchronous and needs answers at once, so it runs again
 * until every answer that it needs was fetched. Rejects, and so denies the call, when the executor does not answer.
 */
export async function judgeElsewhere<T>(files: ExecutorFiles, judge: () => T): Promise<T> {
  const known: Answers = { real: new Map(), kinds: new Map(), names: new Map() };
  let asked = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const questions = noQuestions();
    const verdict = withAnswers(known, questions, judge);
    const { real, kinds, names } = questions;
    const count = real.size + kinds.size + names.size;
    if (count === 0) return verdict;
    asked += count;
    if (asked > MAX_QUESTIONS) break;
    await Promise.all([
      answerAll(real, known.real, (path) => files.realpath(path)),
      answerAll(kinds, known.kinds, async (path) => kindOf(await files.stat(path))),
      answerAll(names, known.names, async (path) => (await files.list(path)).map(({ name }) => name)),
    ]);
  }
  throw errors.PERMISSION_ELSEWHERE();
}

/**
 * Runs a test of paths without reading any file system, because the files of this computer are not the ones it is
 * about.
 */
export function withoutLooking<T>(test: () => T): T {
  return withAnswers({ real: new Map(), kinds: new Map(), names: new Map() }, noQuestions(), test);
}

function noQuestions(): Questions {
  return { real: new Set(), kinds: new Set(), names: new Set() };
}

function kindOf(info: { kind: string } | undefined): "folder" | "other" | undefined {
  return info && (info.kind === "folder" ? "folder" : "other");
}

/** Errors that are an answer about the path; any other error is a failure of the executor. */
const ABOUT_PATHS = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "ELOOP", "EINVAL", "ENAMETOOLONG"];

async function answerAll<T>(
  paths: Iterable<string>,
  into: Map<string, T | undefined>,
  ask: (path: string) => Promise<T | undefined>,
): Promise<void> {
  await Promise.all(
    [...paths].map(async (path) => {
      const answer = await ask(path).catch((thrown: unknown) => {
        if (ABOUT_PATHS.includes(codeOf(thrown))) return undefined;
        throw thrown;
      });
      into.set(path, answer);
    }),
  );
}
