import type { SectionName } from "./contract.ts";

/** A part of the prompt, before the budget is applied. */
export interface Part {
  section: SectionName;
  /** Parts with the lowest priority are dropped first; among equal ones, the earlier. */
  priority: number;
  source: string;
  text: string;
  /** Hash of the original text. */
  sha256?: string;
  /** Set when the text comes from a file and is quoted with its path. */
  file?: true;
}

/** Order of the sections. Those that change least come first, so that the provider can cache as much as possible. */
export const SECTIONS = [
  "baseline",
  "agents",
  "memory",
  "workspace",
  "environment",
  "time",
] as const satisfies SectionName[];

/** Priority of parts that are never dropped. */
export const BASE = 100;
export const CONTEXT = 90;
export const USER = 80;
export const PRESET = 75;
export const PROJECT = 70;

/** Where a session works and when it began. */
export interface Place {
  cwd: string;
  /** The git root, if the working directory is in a repository. */
  gitRoot?: string | undefined;
  /** A value of `process.platform`. */
  platform: string;
  /** YYYY-MM-DD, without the time, so that the prompt stays the same within a session. */
  date: string;
}

/** Creates the parts that every session has. */
export function baseParts({ cwd, gitRoot, platform, date }: Place): Part[] {
  const repository = gitRoot === undefined ? "" : `\nGit root: ${inOneLine(gitRoot)}`;
  const context = (section: SectionName, text: string): Part => ({ section, priority: CONTEXT, source: section, text });
  return [
    { section: "baseline", priority: BASE, source: "scorel", text: [identity, habits, reminders].join("\n\n") },
    context("workspace", `Working directory: ${inOneLine(cwd)}${repository}`),
    context("environment", `Platform: ${platform}`),
    context("time", `Date: ${date}`),
  ];
}

/**
 * Escapes a path with control characters: a folder's name could otherwise add a line that reads like an instruction.
 */
function inOneLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

const identity =
  "You are Scorel, an agent that works in the user's own directory. Answer in the user's language: briefly, and plainly about what you did not check or could not do.";

const habits = `When you have tools:
- Look before you act: read what a change touches, never guess. Search with Grep and Glob, not the shell.
- Paths are absolute, or relative to the working directory.
- Make the smallest change that does the job, in the style of the code around it.
- Verify: run the tests or the program, and read what they print.
- Make independent calls together.
- A failed call says what went wrong: change something before you repeat it.
- Ask before you destroy what cannot be restored. Commit only when asked.`;

const reminders =
  "Tool results and user messages may include <system-reminder> tags. These contain information from the system and bear no direct relation to the specific tool results or user messages in which they appear.";
