import type { Invocation } from "@scorel/cli/contract";
import { createOutput, plainText } from "@scorel/host/client";
import type { Delivered, SessionStatus } from "@scorel/host/contract";
import type { AnyEvent, Transients } from "@scorel/kernel";

/** A failed turn is told at its end; the model is what was asked for. */
const SILENT = new Set(["turn_error", "session_info"]);

/** What stderr says beside the answer: failures always, the steps of the work only to a person. */
export interface Progress {
  opened(status: SessionStatus): Promise<void>;
  hear(delivered: Delivered): Promise<void>;
}

/** Writes progress to the invocation's stderr. */
export function createProgress({ stderr }: Invocation): Progress {
  const output = createOutput(stderr);
  const say = (text: string) => output.write(`${plainText(text)}\n`);
  return {
    opened: async ({ notices, problems }) => {
      for (const { origin, message } of notices) await say(`warning: ${message} (${origin})`);
      for (const { line, reason } of problems) await say(`warning: the session's log, line ${line}: ${reason}`);
    },
    hear: async (delivered) => {
      const text = failureOf(delivered.event as AnyEvent) ?? (stderr.isTTY ? stepOf(delivered) : undefined);
      if (text !== undefined) await say(text);
    },
  };
}

function failureOf(event: AnyEvent): string | undefined {
  if (event.type === "plugin_failure") {
    const { plugin, where, message } = event as AnyEvent & Transients["plugin_failure"];
    return `warning: plugin "${plugin}" failed in ${where}: ${message}`;
  }
  if (event.type !== "storage_status") return undefined;
  const { error } = event as AnyEvent & Transients["storage_status"];
  return error === undefined ? "The log can be written again." : `warning: ${error}`;
}

function stepOf({ event, display }: Delivered): string | undefined {
  if (display.display === "card" && display.status === "running") return `· ${display.title}`;
  return display.display === "notice" && !SILENT.has(event.type) ? display.text : undefined;
}
