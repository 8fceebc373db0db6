import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { widthIn } from "@scorel/kit/terminal/size";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";

/** The context of a command: a temporary session in the current directory. */
export interface CommandContext {
  request: Client["request"];
  sessionId: string;
  args: readonly string[];
  options: Readonly<Record<string, unknown>>;
  /** Whether output is for a program. */
  json: boolean;
  /** The width of the terminal; undefined if there is none. */
  width: number | undefined;
  say(text: string): Promise<void>;
}

/** Runs a command in an unsaved session, and returns its exit code. Throws SKILLBOOK errors and errors of the operations. */
export async function inSession(
  host: HostService | undefined,
  { args, options, cwd, env, stdout, stderr }: Invocation,
  action: (context: CommandContext) => Promise<number>,
): Promise<number> {
  if (!host) throw errors.SKILLBOOK_NO_HOST();
  const client = host.connect();
  const output = createOutput(stdout);
  try {
    const { sessionId, notices } = await client.request("create_session", { cwd, unsaved: true });
    const say = (text: string) => output.write(stdout.isTTY ? plainText(text) : text);
    const code = await action({
      request: client.request,
      sessionId,
      args,
      options,
      json: options.output === "json",
      width: widthIn(stdout, env),
      say,
    });
    for (const { code: kind, message } of notices)
      if (kind.startsWith("SKILL_")) stderr.write(plainText(`scorel: ${message}\n`));
    if (output.complaint !== undefined) stderr.write(`${output.complaint}\n`);
    return output.complaint === undefined ? code : 1;
  } catch (thrown) {
    throw codeOf(thrown) === "HOST_OPERATION_UNKNOWN" ? errors.SKILLBOOK_NO_SKILLS() : thrown;
  } finally {
    await client.close();
  }
}
