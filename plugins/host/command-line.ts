/** Helpers for the commands of the command line that use sessions. Clients in browsers do not need them. */

import type { CliOption } from "@scorel/cli/contract";
import { createOutput, type OutputStream } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import type { SessionOption } from "@scorel/workspace/contract";
import type { SessionChoice } from "./client/faces.ts";
import type { Client, HostService } from "./contract.ts";
import { optionFlags, optionsFrom } from "./session-options.ts";

export { optionFlags, optionsFrom };

/** Returns the command-line options about sessions that all clients share, among them those of the session's options. */
export function sessionFlags(options: readonly SessionOption[]): CliOption[] {
  return [
    {
      flags: "--session <id>",
      description: "Continue this session; the beginning of its id is enough",
      completes: "session",
    },
    { flags: "-c, --continue", description: "Continue the latest session of this directory" },
    {
      flags: "-r, --resume [session]",
      description: "Continue the session whose id or title contains this; without one, choose from a list",
      completes: "session",
    },
    ...optionFlags(options),
    { flags: "--plain", description: "Talk line by line, without the full-screen application" },
    { flags: "--watch", description: "Reload the session when its extensions, presets or configuration change" },
  ];
}

/** Converts parsed command-line options to a SessionChoice. */
export function sessionChoice(
  cwd: string,
  options: Record<string, unknown>,
  known: readonly SessionOption[],
): SessionChoice {
  const { session, fork } = options as Record<string, string | undefined>;
  const { continue: latest, noSession: unsaved } = options as { continue?: boolean; noSession?: boolean };
  const resume = typeof options.resume === "string" ? options.resume : undefined;
  return { cwd, session, fork, latest, resume, unsaved, ...optionsFrom(options, known) };
}

/**
 * Connects a client, prints what `work` returns and closes the client. Returns the exit code: 1 when the output failed.
 * In a terminal, control characters are removed from text.
 */
export async function printAnswer(
  host: Pick<HostService, "connect">,
  { stdout, stderr }: { stdout: OutputStream & { isTTY?: boolean }; stderr: { write(text: string): unknown } },
  work: (client: Client) => Promise<string | Uint8Array>,
): Promise<number> {
  const client = host.connect();
  const output = createOutput(stdout);
  try {
    const answer = await work(client);
    await output.write(stdout.isTTY && typeof answer === "string" ? plainText(answer) : answer);
  } finally {
    await client.close();
  }
  if (output.complaint === undefined) return 0;
  stderr.write(`${output.complaint}\n`);
  return 1;
}
