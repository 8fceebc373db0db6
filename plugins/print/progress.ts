import type { Invocation } from "@scorel/cli/contract";
import { damageIn, Warnings } from "@scorel/host/client";
import type { Delivered, SessionStatus } from "@scorel/host/contract";
import { isEvent, type Transients } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { displayText } from "@scorel/kit/text/display";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type {} from "@scorel/permissions/contract";
import type {} from "@scorel/requests/contract";
import type { Notice } from "@scorel/workspace/contract";

/**
 * Event types that are not printed as steps: some are reported at the end, `session_info` only repeats the options, and the damage that an
 * `epoch` names was reported when the session was opened.
 */
const SILENT = new Set([
  "turn_error",
  "turn_failed",
  "session_info",
  "request_defaulted",
  "client_joined",
  "client_left",
  "epoch",
]);

/** Prints progress on stderr: failures always, steps only in a terminal. */
export interface Progress {
  opened(status: SessionStatus): Promise<void>;
  /** Prints the notices that were not printed before. */
  notices(notices: readonly Notice[]): Promise<void>;
  /** Prints that the prompt waits for a turn of another client. */
  queued(): Promise<void>;
  /** Prints a line. */
  say(text: string): Promise<void>;
  hear(delivered: Delivered): Promise<void> | undefined;
  /** Whether a call has left work in the background, such as a command. */
  hasLeftWork(): boolean;
  /** Whether a message was printed last as the reason why the log cannot be written, so that an error need not repeat it. */
  hasSaid(problem: string): boolean;
  /**
   * Prints which calls were denied because nobody could be asked, how to allow them, and which questions got their
   * default.
   */
  reportDenied(): Promise<void>;
}

/** Creates progress output on the invocation's stderr, for the client with this id. */
export function createProgress({ stderr, options }: Invocation, clientId: string): Progress {
  const output = createOutput(stderr);
  const say = (text: string) => output.write(`${plainText(text)}\n`);
  const warnings = new Warnings();
  const tell = async (notices: readonly Notice[]) => {
    for (const warning of warnings.untold(notices)) await say(warning);
  };
  const denied: Transients["permission_denied"][] = [];
  const defaulted = new Set<string>();
  let unsaved: string | undefined;
  let hasLeftWork = false;
  return {
    hasLeftWork: () => hasLeftWork,
    hasSaid: (problem) => problem === unsaved,
    notices: tell,
    say: (text) => say(continued(text)),
    queued: async () => {
      if ((options.output ?? "text") === "text")
        await say("A turn is running in this session; the prompt waits until it ends (--if-busy refuse: do not wait).");
    },
    reportDenied: async () => {
      if (denied.length > 0) await say(await import("./denied.ts").then(({ howToAllow }) => howToAllow(denied)));
      for (const text of defaulted) await say(continued(text));
    },
    opened: async (status) => {
      await tell(status.notices);
      for (const warning of damageIn(status)) await say(warning);
    },
    hear: (delivered) => {
      const { event, display } = delivered;
      if (event.type === "request_defaulted") defaulted.add(displayText(display));
      if (isEvent(event, "storage_status")) unsaved = event.error;
      if (isEvent(event, "permission_denied")) denied.push(event);
      hasLeftWork ||= goesOn(event);
      // Each of its lines is Scorel's own.
      const unattached = unattachedIn(delivered, clientId);
      if (unattached !== undefined) return say(unattached);
      const said =
        warnings.heard(event) ??
        storageOf(event) ??
        compactionOf(event, options.output) ??
        summaryOf(delivered) ??
        notificationIn(delivered) ??
        warningIn(delivered) ??
        waitOf(delivered, options.output);
      const text = said ?? (stderr.isTTY ? stepOf(delivered) : undefined);
      return text === undefined ? undefined : say(continued(text));
    },
  };
}

/** Whether the work of a call goes on after its result; see the contract of `messages`. */
function goesOn(event: Delivered["event"]): boolean {
  if (!isEvent(event, "message") || event.message.role !== "tool_result") return false;
  return (Object(event.message.details) as { goesOn?: unknown }).goesOn === true;
}

/** Returns a notice about a wait for other turns or before a retry. Only for text output; other formats contain the event. */
function waitOf({ event, display }: Delivered, format: unknown): string | undefined {
  if ((format ?? "text") !== "text" || display.display !== "notice") return undefined;
  return event.type === "turn_wait_start" || event.type === "retry_start" ? display.text : undefined;
}

function storageOf(event: Delivered["event"]): string | undefined {
  if (!isEvent(event, "storage_status")) return undefined;
  const { error } = event;
  return error === undefined ? "The log can be written again." : `warning: ${error}`;
}

/** Returns which files that the prompt mentions were not attached, and why: lines at the end of its display. */
function unattachedIn({ event, display }: Delivered, clientId: string): string | undefined {
  if (!isEvent(event, "message") || event.clientId !== clientId || display.display !== "bubble") return undefined;
  const { message } = event;
  const mentions = (message.role === "user" && message.meta?.mentions) || [];
  const lines = display.text.split("\n").slice(-mentions.length);
  const told = lines.filter((_, index) => mentions[index]?.problem !== undefined);
  return told.length > 0 ? told.join("\n") : undefined;
}

/**
 * Says that the model no longer gets the older part of the conversation word by word. Not with `--output events`, which has the event, and
 * not if no model wrote the summary, since a warning says that.
 */
function compactionOf(event: Delivered["event"], format: unknown): string | undefined {
  if (format === "events" || !isEvent(event, "compact") || event.note !== undefined) return undefined;
  const { tokensBefore, tokensAfter } = event;
  return `The older part of the conversation was replaced by a summary (${tokensBefore} tokens before, ${tokensAfter} after).`;
}

/** Returns a warning when no model wrote the summary, since later requests may lack information. */
function summaryOf({ event, display }: Delivered): string | undefined {
  return event.type === "compaction_end" && display.display === "notice" ? `warning: ${display.text}` : undefined;
}

/** Returns a plugin's notification of any level. */
function notificationIn({ event, display }: Delivered): string | undefined {
  if (event.type !== "notification" || display.display !== "notice") return undefined;
  return `${display.level === "info" ? "" : `${display.level}: `}${display.text}`;
}

/** Returns a warning of a persistent event, for example about an unreadable instruction file. */
function warningIn({ event, display }: Delivered): string | undefined {
  const isWarning =
    "id" in event && !SILENT.has(event.type) && display.display === "notice" && display.level !== "info";
  return isWarning ? `warning: ${display.text}` : undefined;
}

function stepOf({ event, display }: Delivered): string | undefined {
  if (display.display === "card" && display.status === "running") return `· ${display.title}`;
  return display.display === "notice" && !SILENT.has(event.type) ? display.text : undefined;
}
