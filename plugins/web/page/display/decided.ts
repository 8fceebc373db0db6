import type { DisplayAction } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";

/** Text that a person is asked to accept. Characters that are invisible, or change the text around them, are written out. */
export function decidedText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"));
}

/** What a question is about, with `decidedText` applied to all of its strings. */
export function decided<T extends DisplayAction>(display: T): T {
  return Object.fromEntries(Object.entries(display).map(([key, value]) => [key, decidedValue(value)])) as T;
}

function decidedValue(value: unknown): unknown {
  if (typeof value === "string") return decidedText(value);
  if (Array.isArray(value)) return value.map(decidedValue);
  return typeof value === "object" && value !== null ? decided(value as DisplayAction) : value;
}
