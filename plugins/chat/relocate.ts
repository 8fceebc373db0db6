import type { Invocation } from "@scorel/cli/contract";
import type { Client, SessionStatus } from "@scorel/host/contract";
import { codeOf, type ScorelError } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import { answerTo } from "@scorel/kit/terminal/answer";
import type {} from "@scorel/projects/contract";
import { errors } from "./errors.ts";

/** Runs code that asks the user line by line, while the terminal is free for it. */
export type Plainly = <R>(ask: () => Promise<R>) => Promise<R>;

interface RelocateOptions {
  /** Whether the host is on another computer. Its directories are unknown here, so the user is not asked for one. */
  elsewhere: boolean;
  plainly: Plainly;
}

/**
 * Opens a session. If its directory is gone, asks the user where it is now and moves the session there. Throws CHAT_GONE_THERE for a host
 * elsewhere.
 */
export async function openOrRelocate(
  client: Client,
  invocation: Invocation,
  open: () => Promise<SessionStatus>,
  { elsewhere, plainly }: RelocateOptions,
): Promise<SessionStatus> {
  try {
    return await open();
  } catch (thrown) {
    const { sessionId, cwd: gone } = codeOf(thrown) === "HOST_CWD_GONE" ? (thrown as ScorelError).data : {};
    if (typeof gone !== "string") throw thrown;
    if (elsewhere) throw errors.CHAT_GONE_THERE({ sessionId: String(sessionId), cwd: gone }, { cause: thrown });
    if (!invocation.stdin.isTTY) throw thrown;
    const directory = await plainly(() => askForDirectory(gone, invocation));
    if (directory === "") throw thrown;
    await client.request("move_project", { project: gone, directory });
    return open();
  }
}

async function askForDirectory(gone: string, invocation: Invocation): Promise<string> {
  const question = `The session worked in ${gone}, which is gone. Where is it now? (a directory; empty: leave) `;
  const answer = (await answerTo(question, invocation)).trim();
  if (answer === "") return "";
  return typedPath(answer, invocation.cwd);
}
