import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Shorter values are too likely to be ordinary words. */
const SHORTEST = 8;
const NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|COOKIE|AUTH/i;
const HIDDEN = "[redacted]";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Takes secrets out of texts, whatever state they are kept in: values of variables, of auth.json and of config.toml, also of
 * files that nobody else can read any more. It takes out too much rather than too little. `variables` hold keys, too.
 */
export function createScrub(env: Env, home: string | undefined, variables: readonly string[] = []): <T>(value: T) => T {
  const values = secretsIn(env, home, variables);
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
function secretsIn(env: Env, home: string | undefined, variables: readonly string[]): string[] {
  const config = home === undefined ? "" : textOf(join(home, "config.toml"));
  const auth = home === undefined ? "" : textOf(join(home, "auth.json"));
  const inFile = Array.from(config.matchAll(/apiKeyEnv"?\s*=\s*["']([^"']+)/g), ([, name]) => name);
  const named = new Set([...variables, ...inFile]);
  const all = [...inVariables(env, named), ...inAuth(auth), ...inConfig(config)];
  const isName = (value: string) => named.has(value) || Object.hasOwn(env, value);
  const isFile = (value: string) => value.startsWith("/") && existsSync(value);
  const secret = all.filter((value) => value.length >= SHORTEST && !isName(value) && !isFile(value));
  return [...new Set(secret)].sort((a, b) => b.length - a.length);
}

function inVariables(env: Env, named: ReadonlySet<string | undefined>): string[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    NAME.test(name) || named.has(name) ? [value, value.trim()] : passwordsIn(value),
  );
}

function inAuth(text: string): string[] {
  const fields = Array.from(text.matchAll(/"([^"]+)"\s*:\s*"([^"]+)"/g));
  return fields.flatMap(([, key, value = ""]) => (key === "baseUrl" ? [] : [value]));
}

/** `Bearer abc` is a secret as a whole and without its scheme. */
function inConfig(text: string): string[] {
  const fields = Array.from(text.matchAll(/([\w-]+)["']?\s*=\s*["']([^"'\n]+)["']/g));
  return fields.flatMap(([, key = "", value = ""]) =>
    NAME.test(key) && key !== "apiKeyEnv" ? [value, value.replace(/^\S+\s+/, "")] : passwordsIn(value),
  );
}

/** `http://user:password@host` */
function passwordsIn(value: string): string[] {
  return Array.from(value.matchAll(/:\/\/[^/?#@\s]*:([^/?#@\s]+)@/g), ([, password = ""]) => password);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
