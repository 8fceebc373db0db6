import { declaresHostScope } from "../load/host-scope.ts";
import { lineAt, withoutComments } from "./members.ts";

/** A service that is named in the source of an extension, and the line of its name. */
export interface NamedService {
  name: string;
  line: number;
}

/** The services that the source of an extension lists; undefined for a list that is computed. */
export interface WrittenManifest {
  needs: NamedService[] | undefined;
  provides: NamedService[] | undefined;
  host: boolean;
}

const list = /\[([^\][]*)\]/y;
const text = /^\s*(["'`])([^"'`$\\]*)\1\s*$/;

/** Reads the manifest from the source. As in the loader, a session extension without `needs` needs the agent. */
export function writtenManifest(source: string): WrittenManifest {
  const code = withoutComments(source);
  const host = declaresHostScope(code);
  const needs = servicesIn(code, "needs");
  const implied = host ? [] : [{ name: "agent", line: 1 }];
  return { needs: needs === "none" ? implied : needs, provides: notNone(servicesIn(code, "provides")), host };
}

function servicesIn(code: string, key: string): NamedService[] | undefined | "none" {
  const found = new RegExp(`(?:^|[\\s{,;])["']?${key}["']?\\s*(?::[\\w\\s.<>|"'\\[\\]]+=|[:=,}(])\\s*`).exec(code);
  if (!found) return "none";
  list.lastIndex = found.index + found[0].length;
  const written = list.exec(code);
  if (!written) return undefined;
  const names: NamedService[] = [];
  let at = written.index + 1;
  for (const part of (written[1] ?? "").split(",")) {
    const name = text.exec(part)?.[2];
    if (name !== undefined) names.push({ name, line: lineAt(code, at + part.search(/\S/)) });
    else if (part.trim() !== "") return undefined;
    at += part.length + 1;
  }
  return names;
}

const notNone = (services: NamedService[] | undefined | "none") => (services === "none" ? [] : services);
