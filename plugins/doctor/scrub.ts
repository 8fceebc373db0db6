import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Shorter values are too likely to be ordinary words. */
const SHORTEST = 8;
const NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|COOKIE|AUTH/i;
const HIDDEN = "[redacted]";

/**
 * Takes secrets out of texts, whatever state they are kept in: values of variables, of auth.json and of config.toml, also of
 * files that nobody else can read any more. It takes out too much rather than too little.
 */
export function createScrub(
  env: Readonly<Record<string, string | undefined>>,
  home: string | undefined,
): <T>(value: T) => T {
  const values = secretsIn(env, home);
  if (values.length === 0) return (value) => value;
  const pattern = new RegExp(values.map((value) => value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "g");
  const scrub = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(pattern, HIDDEN);
    if (Array.isArray(value)) return value.map(scrub);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrub(inner)]));
  };
  return <T>(value: T) => scrub(value) as T;
}

/** Longest first, so that one which begins like another goes whole. */
function secretsIn(env: Readonly<Record<string, string | undefined>>, home: string | undefined): string[] {
  const config = home === undefined ? "" : textOf(join(home, "config.toml"));
  const auth = home === undefined ? "" : textOf(join(home, "auth.json"));
  const named = new Set(Array.from(config.matchAll(/apiKeyEnv"?\s*=\s*["']([^"']+)/g), ([, name]) => name));
  const variables = Object.entries(env).flatMap(([name, value = ""]) =>
    NAME.test(name) || named.has(name) ? [value, value.trim()] : passwordsIn(value),
  );
  const stored = Array.from(auth.matchAll(/:\s*"([^"]+)"/g), ([, value = ""]) => value);
  const configured = Array.from(config.matchAll(/([\w-]+)"?\s*=\s*["']([^"'\n]+)["']/g)).flatMap(
    ([, key = "", value = ""]) => (NAME.test(key) ? [value, value.replace(/^\S+\s+/, "")] : passwordsIn(value)),
  );
  const all = [...variables, ...stored, ...configured].filter((value) => value.length >= SHORTEST && isSecret(value));
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** `http://user:password@host` */
function passwordsIn(value: string): string[] {
  return Array.from(value.matchAll(/:\/\/[^/?#@\s]*:([^/?#@\s]+)@/g), ([, password = ""]) => password);
}

/** Not the name of a variable, an address, or a file such as a socket's. */
function isSecret(value: string): boolean {
  return (
    !/^[A-Z][A-Z0-9_]*$/.test(value) &&
    !/^https?:\/\/[^@]*$/.test(value) &&
    !(value.startsWith("/") && existsSync(value))
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
