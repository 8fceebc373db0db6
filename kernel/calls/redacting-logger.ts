import { logData } from "@scorel/kit/values/log-data";
import type { Logger } from "../types.ts";

/** A logger whose lines go through `redact`, since errors of libraries and extensions can quote keys. */
export function redactingLogger(logger: Logger, redact: (text: string) => string): Logger {
  const level = (name: keyof Logger) => (message: string, data?: unknown) => {
    if (data === undefined) logger[name](redact(message));
    else logger[name](redact(message), redact(logData(data)));
  };
  return { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
}
