import { cleanServerName } from "@scorel/kit/schema/mcp-json";
import type { NewServer } from "../config-file.ts";

/** A server of another program, under its name there: converted to Scorel's form, or with the reason why it cannot be. */
export type Candidate = { name: string } & (Convertible | { flaw: string });

export interface Convertible {
  flaw?: undefined;
  server: NewServer;
  /** Settings that the conversion loses or changes, for example because Scorel does not have them. */
  notes: readonly string[];
}

/** The known settings of a server. Those that are undefined or empty are not written, except `tools`: an empty list offers no tools. */
export type Parts = { [K in keyof Omit<NewServer, "name">]: NewServer[K] | undefined };

/** Makes a server from its name and settings, or returns why the configuration would not accept it. */
export function candidateOf(name: string, parts: Parts, notes: readonly string[]): Candidate {
  const own = cleanServerName(name);
  const flaw = flawOf(own, parts);
  if (flaw !== undefined) return { name, flaw };
  const given = Object.entries(parts).filter(
    ([key, value]) => value !== undefined && (key === "tools" || !isEmpty(value)),
  );
  return { name, server: { name: own, ...Object.fromEntries(given) }, notes };
}

function flawOf(name: string, { url, timeout }: Parts): string | undefined {
  if (name === "") return "its name has no letters and digits";
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return "its url is not an address that begins with http or https";
  if (timeout !== undefined && !isTimeout(timeout)) return "its timeout is not between 0 and 3600 seconds";
  return undefined;
}

/** Whether the configuration accepts this number of seconds. */
export function isTimeout(seconds: number): boolean {
  return seconds > 0 && seconds <= 3_600;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
