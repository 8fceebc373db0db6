/** A piece of the system prompt. */
export interface Part {
  /** Lower comes first. */
  priority: number;
  text: string;
}

/** What the base prompt says about the place it is used in. */
export interface Place {
  cwd: string;
  /** As in `process.platform`. */
  platform: string;
  /** When the session began; only the day is told, so that the prompt never changes within a session. */
  startedAt: number;
}

/** The parts that every session has. */
export function baseParts({ cwd, platform, startedAt }: Place): Part[] {
  const day = new Date(startedAt).toISOString().slice(0, 10);
  return [
    { priority: 100, text: identity },
    { priority: 200, text: habits },
    { priority: 300, text: reminders },
    { priority: 900, text: `Working directory: ${cwd}\nPlatform: ${platform}\nDate: ${day}` },
  ];
}

/** All parts by priority (equal ones in the order given), a blank line between them. */
export function compose(parts: readonly Part[]): string {
  return [...parts]
    .sort((a, b) => a.priority - b.priority)
    .map((part) => part.text)
    .join("\n\n");
}

const identity =
  "You are Scorel, an agent that works in the user's own directory. Answer in the user's language: briefly, and plainly about what you did not check or could not do.";

const habits = `When you have tools:
- Look before you act: search and read what a change touches. Never guess what a file holds.
- Make the smallest change that does the job, in the style of the code around it.
- Verify: run the tests or the program, and read what they print.
- Calls that do not depend on each other go out together.
- A failed call says what went wrong: change something before you repeat it.
- Ask before you destroy what cannot be restored.`;

const reminders =
  "Tool results and user messages may include <system-reminder> tags. These contain information from the system and bear no direct relation to the specific tool results or user messages in which they appear.";
