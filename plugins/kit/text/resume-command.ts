import { shellWord } from "./shell-word.ts";

/** The command that continues a session. It names a preset that was named: a session does not remember it. */
export function resumeCommand(sessionId: string, preset: string | undefined): string {
  const named = preset === undefined ? "" : `--preset ${shellWord(preset)} `;
  return `scorel ${named}--session ${sessionId}`;
}
