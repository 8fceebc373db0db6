import type { IncomingMessage } from "node:http";

/** The path of a request's URL, exactly as it was sent. */
export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] as string;
}

/** Whether parsing a URL leaves this path unchanged: it has no `..`, no `//` at the start, no backslashes and the like. */
export function isPlain(path: string): boolean {
  const url = `http://localhost${path}`;
  return !path.startsWith("//") && URL.canParse(url) && new URL(url).pathname === path;
}

/** The token in the header `Authorization`, if there is exactly one such header. */
export function bearer({ headersDistinct }: IncomingMessage): string | undefined {
  const [value = "", ...more] = headersDistinct.authorization ?? [];
  return more.length === 0 ? /^Bearer ([\w.~+/=-]+)$/i.exec(value)?.[1] : undefined;
}
