import { cleanServerName } from "@scorel/kit/schema/mcp-json";
import type { NewServer } from "../config-file.ts";

/** A server of another program, by its name there: as it would be written here, or why it cannot be. */
export type Candidate = { name: string } & (Convertible | { flaw: string });

export interface Convertible {
  flaw?: undefined;
  server: NewServer;
  /** What is not as it was there, such as keys of its table that mean nothing here. */
  notes: readonly string[];
}

/** What is known of the server: undefined and empty parts are not written. */
export type Parts = { [K in keyof Omit<NewServer, "name">]: NewServer[K] | undefined };

/** The server with this name and these parts, or why the configuration would not take it. */
export function candidateOf(name: string, parts: Parts, notes: readonly string[]): Candidate {
  const own = cleanServerName(name);
  const flaw = flawOf(own, parts);
  if (flaw !== undefined) return { name, flaw };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined && !isEmpty(value));
  return { name, server: { name: own, ...Object.fromEntries(given) }, notes };
}

function flawOf(name: string, { url, timeout }: Parts): string | undefined {
  if (name === "") return "its name has no letters and digits";
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return "its url is not an address that begins with http or https";
  if (timeout !== undefined && !(timeout > 0 && timeout <= 3_600))
    return "its timeout is not between 0 and 3600 seconds";
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
