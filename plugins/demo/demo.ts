import { join } from "node:path";
import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService, SessionLogs } from "@scorel/host/contract";
import { describeEvent } from "./event-text.ts";
import { makeRepository, type Repository } from "./repository.ts";
import { task } from "./task.ts";

type Say = (line: string) => void;

/**
 * Runs the demo: the demonstration model repairs a repository with the real tools. Exit code 0 if its tests then pass.
 */
export async function runDemo(
  { stdout, interrupt, env }: Invocation,
  host: HostService,
  { sessionsDir, logs }: SessionLogs,
): Promise<number> {
  const say: Say = (line) => void stdout.write(`${line}\n`);
  const repository = await makeRepository(env);
  introduce(repository, say);
  const client = host.connect();
  try {
    const { sessionId } = await client.request("create_session", {
      cwd: repository.path,
      name: "Demonstration",
      model: "offline/demo",
      // The repository is temporary and the model follows a script, so nothing needs confirmation.
      permission: "full",
    });
    const outcome = await watch(client, sessionId, interrupt, say);
    if (interrupt.aborted) return 130;
    const passed = await verify(repository, outcome, say);
    say(`The session's log: ${join(sessionsDir, sessionId + logs.ending)}`);
    if (passed) say(goOn);
    return passed ? 0 : 1;
  } finally {
    await client.close();
  }
}

function introduce({ path, withoutGit }: Repository, say: Say): void {
  say("A small repository with a failing test, the real tools, and a scripted model: no network.");
  say("");
  say(`Repository: ${path}${withoutGit === undefined ? "" : ` (without git: ${withoutGit})`}`);
  say(`Task: ${task}`);
  say("");
}

/** Sends the task and prints what happens until the turn has ended. */
async function watch(client: Client, sessionId: string, interrupt: AbortSignal, say: Say): Promise<TurnOutcome> {
  await client.subscribe(
    sessionId,
    (delivered) => {
      const line = describeEvent(delivered);
      if (line !== undefined) say(line);
    },
    { joined: true },
  );
  const cancel = () => void client.request("cancel", { sessionId }).catch((thrown: unknown) => say(String(thrown)));
  interrupt.addEventListener("abort", cancel, { once: true });
  try {
    const { id } = await client.request("send_message", { sessionId, content: task });
    if (interrupt.aborted) cancel();
    const outcome = await client.request("wait_turn", { sessionId, id });
    await client.drained(sessionId);
    return outcome;
  } finally {
    interrupt.removeEventListener("abort", cancel);
  }
}

/** Runs the tests again, independently of the session, and prints the changes. */
async function verify(repository: Repository, outcome: TurnOutcome, say: Say): Promise<boolean> {
  say("");
  if (outcome.error) say(`The turn ended early: ${outcome.error.message}`);
  const { passed, output } = await repository.test();
  if (!passed) say(output);
  say(
    passed
      ? "Checked once more, outside the session: the tests pass. What was changed:"
      : "The tests do not pass. What was changed:",
  );
  say("");
  say((await repository.diff()) || "(nothing)");
  return passed;
}

const goOn = `
To work in your own repository, choose a model with \`scorel login\`, go
there, and type

  scorel --preset coding`;
