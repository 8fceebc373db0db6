/** Runs in browsers too: what any client of the host needs to open a session and to show what it hears. */

import type { CliOption } from "@scorel/cli/contract";
import type { AnyEvent, Missed, Transients } from "@scorel/kernel";
import { createOutput, type OutputStream } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import type { Client, HostService, Notice, SessionOptions, SessionStatus } from "./contract.ts";

/** Which session a face is asked for: a stored one, the latest of `cwd`, a copy, or (none given) a new one in `cwd`. */
export interface SessionChoice extends SessionOptions {
  cwd: string;
  /** An id or the beginning of one. */
  session?: string | undefined;
  latest?: boolean | undefined;
  /** The id, or the beginning of one, of a session to copy; with `@` and an event (or its beginning), up to there. */
  fork?: string | undefined;
  /** Of a new session or a copy: nothing of it is written to disk. */
  unsaved?: boolean | undefined;
}

/** What every face on a command line takes: which session, and how it works. */
export const sessionOptions: readonly CliOption[] = [
  { flags: "--session <id>", description: "Go on with this session; the beginning of its id is enough" },
  { flags: "--continue", description: "Go on with the latest session of this directory" },
  {
    flags: "--thinking <level>",
    description: "How hard the model thinks",
    values: ["off", "minimal", "low", "medium", "high", "xhigh"],
  },
  {
    flags: "--permission <mode>",
    description: "What runs without a question: ask, edits (of files), full, plan (only reading)",
    values: ["ask", "edits", "full", "plan"],
  },
  { flags: "--yes", description: "Run everything without a question, as --permission full" },
  {
    flags: "--sandbox <executor>",
    description: "What programs of skills run in; local: in nothing",
    values: ["auto", "bubblewrap", "docker", "podman", "local"],
  },
  { flags: "--tools <names>", description: "Offer only these tools, as in Read,Grep" },
  { flags: "--append-system-prompt <text>", description: "Put this at the end of the system prompt" },
  { flags: "--watch", description: "Reload the session when its extensions, presets or configuration change" },
];

/** The choice that the options of a command line make, as the parser gives them; `--tools` is a list with commas. */
export function sessionChoice(cwd: string, options: Record<string, unknown>): SessionChoice {
  const { session, fork, model, thinking, appendSystemPrompt, tools } = options as Record<string, string | undefined>;
  const {
    continue: latest,
    noSession: unsaved,
    allowWrite,
  } = options as Pick<SessionOptions, "allowWrite"> & {
    continue?: boolean;
    noSession?: boolean;
  };
  // `--yes` is the widest mode by another name; a mode that is named counts.
  const permission = (options.permission ?? (options.yes ? "full" : undefined)) as SessionOptions["permission"];
  const sandbox = options.sandbox as SessionOptions["sandbox"];
  const named = tools?.split(",").map((name) => name.trim());
  const settings = {
    model,
    thinking,
    appendSystemPrompt,
    allowWrite,
    permission,
    sandbox,
    tools: named?.filter((name) => name !== ""),
  };
  return { cwd, session, fork, latest, unsaved, ...settings };
}

/** Opens the session that was asked for; the client's own errors say why it cannot. */
export function openSession(
  client: Client,
  { cwd, session, latest, fork, unsaved = false, ...options }: SessionChoice,
): Promise<SessionStatus> {
  if (fork !== undefined) return client.request("clone_session", { ...copied(fork), unsaved, ...options });
  if (session !== undefined) return client.request("load_session", { sessionId: session, ...options });
  if (latest) return client.request("continue_session", { cwd, ...options });
  return client.request("create_session", { cwd, unsaved, ...options });
}

/** `session` or `session@event`: no id has an @ in it. */
function copied(fork: string): { sessionId: string; eventId?: string } {
  const [sessionId = "", eventId] = fork.split(/@(.*)/s);
  return { sessionId, ...(eventId !== undefined && { eventId }) };
}

/** Says each thing that went wrong beside the conversation once: as it happens, on opening, or on closing. */
export class Warnings {
  private readonly told = new Set<string>();

  /** The words for a failure heard as an event; undefined for any other event. */
  heard(event: AnyEvent | Missed): string | undefined {
    if (event.type !== "plugin_failure") return undefined;
    const text = failureText(event as AnyEvent & Transients["plugin_failure"]);
    return this.isNew(text) ? `warning: ${text}` : undefined;
  }

  /** The words for those of the notices that were not told yet. */
  untold(notices: readonly Notice[]): string[] {
    const fresh = notices.filter(({ message }) => this.isNew(message));
    return fresh.map(({ origin, message }) => `warning: ${message}${message.includes(origin) ? "" : ` (${origin})`}`);
  }

  private isNew(text: string): boolean {
    const { size } = this.told;
    return this.told.add(text).size > size;
  }
}

/** Which plugin failed, where and why: the same words in events and in notices. */
export function failureText({ plugin, where, message, at }: Transients["plugin_failure"]): string {
  const place = at === undefined ? "" : ` (${at})`;
  if (where !== "") return `plugin "${plugin}" failed in ${where}: ${message}${place}`;
  // A built-in that has something to say says it in its own words.
  return at === undefined ? message : `plugin "${plugin}": ${message}${place}`;
}

const SHOWN_PROBLEMS = 10;

/** The words for damage in a session's log: the first places, and where to see the rest. */
export function damageIn({ sessionId, problems }: Pick<SessionStatus, "sessionId" | "problems">): string[] {
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map(({ line, offset, reason }) => `warning: the session's log, line ${line}, offset ${offset}: ${reason}`);
  const rest = problems.length - shown.length;
  const more = `warning: the session's log has ${rest} more such places; \`scorel session verify ${sessionId}\` shows all`;
  return rest > 0 ? [...shown, more] : shown;
}

/**
 * Prints what `work` answers as a client of the host, which then gives up what it opened; 1 when it could not be printed. In a
 * terminal, words of files and models move no cursor.
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
