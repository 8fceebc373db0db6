import type { DisplayAction } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";

/** A text that somebody is asked to accept: every character that is invisible, or changes what stands around it, is written out. */
export function decidedText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"));
}

/** What a question is about, with all of its texts like that. */
export function decided<T extends DisplayAction>(display: T): T {
  return Object.fromEntries(Object.entries(display).map(([key, value]) => [key, decidedValue(value)])) as T;
}

function decidedValue(value: unknown): unknown {
  if (typeof value === "string") return decidedText(value);
  if (Array.isArray(value)) return value.map(decidedValue);
  return typeof value === "object" && value !== null ? decided(value as DisplayAction) : value;
}
