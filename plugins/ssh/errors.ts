import { defineErrors } from "@scorel/kernel";
import { continued } from "@scorel/kit/text/one-line";

/** Output of the other computer, indented to tell it from Scorel's own lines. */
const quoted = (output: string) => continued(`\n${output}`);

export const errors = defineErrors({
  SSH_TARGET: {
    exit: 2,
    text: (a: { target: string }) =>
      `${JSON.stringify(a.target)} is not a computer that SSH can connect to. Use a name from your SSH configuration, user@host, or ssh://user@host:port.`,
  },
  SSH_MISSING: () => "The program ssh was not found. Install OpenSSH, or add its folder to PATH.",
  SSH_NO_SCOREL: (a: { target: string }) =>
    `The program scorel was not found on the computer ${a.target}. Install Scorel there. If it is installed, its folder is not in the PATH of commands that SSH runs: set it in ~/.ssh/environment, or in a file that the shell also reads when it is not interactive.`,
  SSH_SILENT: (a: { target: string; ms: number; output: string }) =>
    `The computer ${a.target} did not answer over SSH within ${a.ms / 1000} s. \`ssh ${a.target} scorel host status\` shows how far it gets.${a.output === "" ? "" : ` It printed:${quoted(a.output)}`}`,
  SSH_NOISE: (a: { target: string; reason: string }) =>
    `The computer ${a.target} did not start Scorel over SSH: ${a.reason}. Check what its shell prints when it starts: \`ssh ${a.target} true\`.`,
  SSH_ENDED: (a: { target: string; code: number | null; output: string }) =>
    `The connection to ${a.target} over SSH failed (${a.code === null ? "ssh was ended" : `exit code ${a.code}`})${a.output === "" ? `. \`ssh ${a.target}\` may show why.` : `:${quoted(a.output)}`}`,
});
