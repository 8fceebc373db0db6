import type { Invocation } from "@scorel/cli/contract";
import { damageIn, Warnings } from "@scorel/host/client";
import type { Delivered, Notice, SessionStatus } from "@scorel/host/contract";
import { type AnyEvent, displayText, type Transients } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import type {} from "@scorel/permissions/contract";
import type {} from "@scorel/requests/contract";

/** A failed turn and a question that had its default are told at the end; the model is what was asked for. */
const SILENT = new Set(["turn_error", "session_info", "request_defaulted"]);

/** Waits for another attempt up to this are not worth a line. */
const TOLD_WAIT_MS = 2_000;

/** What stderr says beside the answer: failures always, the steps of the work only to a person. */
export interface Progress {
  opened(status: SessionStatus): Promise<void>;
  /** Says those of the notices that were not said yet. */
  notices(notices: readonly Notice[]): Promise<void>;
  hear(delivered: Delivered): Promise<void> | undefined;
  /** Says what did not run because nobody was there to ask, and how to allow it; and which questions had their default. */
  unasked(): Promise<void>;
}

/** Writes progress to the invocation's stderr. */
export function createProgress({ stderr, options }: Invocation): Progress {
  const output = createOutput(stderr);
  const say = (text: string) => output.write(`${plainText(text)}\n`);
  const warnings = new Warnings();
  const tell = async (notices: readonly Notice[]) => {
    for (const warning of warnings.untold(notices)) await say(warning);
  };
  const denied: Transients["permission_denied"][] = [];
  const defaulted = new Set<string>();
  return {
    notices: tell,
    unasked: async () => {
      if (denied.length > 0) await say(await import("./denied.ts").then(({ howToAllow }) => howToAllow(denied)));
      for (const text of defaulted) await say(text);
    },
    opened: async (status) => {
      await tell(status.notices);
      for (const warning of damageIn(status)) await say(warning);
    },
    hear: (delivered) => {
      const { event, display } = delivered;
      if (event.type === "request_defaulted") defaulted.add(displayText(display));
      if (event.type === "permission_denied") denied.push(event as AnyEvent & Transients["permission_denied"]);
      const said =
        warnings.heard(event) ??
        storageOf(event) ??
        summaryOf(delivered) ??
        notificationIn(delivered) ??
        warningIn(delivered) ??
        waitOf(delivered, options.output);
      const text = said ?? (stderr.isTTY ? stepOf(delivered) : undefined);
      return text === undefined ? undefined : say(text);
    },
  };
}

/** A wait that someone who looks at a log would wonder about; the other formats bring their own events. */
function waitOf({ event, display }: Delivered, format: unknown): string | undefined {
  if (event.type !== "retry_start" || (format ?? "text") !== "text" || display.display !== "notice") return undefined;
  const { delayMs } = event as AnyEvent & Transients["retry_start"];
  return delayMs > TOLD_WAIT_MS ? display.text : undefined;
}

function storageOf(event: Delivered["event"]): string | undefined {
  if (event.type !== "storage_status") return undefined;
  const { error } = event as AnyEvent & Transients["storage_status"];
  return error === undefined ? "The log can be written again." : `warning: ${error}`;
}

/** A summary that no model wrote, or none at all: what is sent from now on is not what it could be. */
function summaryOf({ event, display }: Delivered): string | undefined {
  return event.type === "compaction_end" && display.display === "notice" ? `warning: ${display.text}` : undefined;
}

/** What a plugin tells whoever watches, of any level. */
function notificationIn({ event, display }: Delivered): string | undefined {
  if (event.type !== "notification" || display.display !== "notice") return undefined;
  return `${display.level === "info" ? "" : `${display.level}: `}${display.text}`;
}

/** What the log warns of, whoever looks: a file of instructions that is not read, say. */
function warningIn({ event, display }: Delivered): string | undefined {
  const isWarning = "id" in event && display.display === "notice" && display.level !== "info";
  return isWarning ? `warning: ${display.text}` : undefined;
}

function stepOf({ event, display }: Delivered): string | undefined {
  if (display.display === "card" && display.status === "running") return `· ${display.title}`;
  return display.display === "notice" && !SILENT.has(event.type) ? display.text : undefined;
}
