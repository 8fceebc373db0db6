import type { SectionName } from "./contract.ts";

/** A piece of the prompt before it is known whether there is room for it. */
export interface Part {
  section: SectionName;
  /** The lowest is left out first, and of equal ones the earlier. */
  priority: number;
  source: string;
  text: string;
  /** Of the text as its author wrote it. */
  sha256?: string;
  /** It comes from a file, and is quoted with the file's path. */
  file?: true;
}

/** The order of the prompt: what changes least stands first, so that a provider's cache holds as much as it can. */
export const SECTIONS = [
  "baseline",
  "agents",
  "memory",
  "workspace",
  "environment",
  "time",
] as const satisfies SectionName[];

/** What the prompt is never without. */
export const BASE = 100;
export const CONTEXT = 90;
export const USER = 80;
export const PRESET = 75;
export const PROJECT = 70;

/** Where a session works and when it began. */
export interface Place {
  cwd: string;
  /** The git root, when the working directory is in a repository. */
  gitRoot?: string | undefined;
  /** As in `process.platform`. */
  platform: string;
  /** YYYY-MM-DD; only the day is told, so that the prompt never changes within a session. */
  date: string;
}

/** The parts that every session has. */
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

/** A folder's name may hold anything, also a line that reads like an instruction. */
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
