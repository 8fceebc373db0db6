import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Minimum length of a secret; shorter values may be ordinary words. */
const SHORTEST = 8;
const NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|COOKIE|AUTH/i;
const HIDDEN = "[redacted]";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Creates a function that redacts secrets from any value. Reads environment variables, auth.json and config.toml
 * directly, so that it works with damaged files, and prefers to redact too much. `variables` are further names of
 * variables with keys.
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

/** Returns the secrets, longest first, so that one which begins with another is replaced as a whole. */
function secretsIn(env: Env, home: string | undefined, variables: readonly string[]): string[] {
  const config = home === undefined ? "" : textOf(join(home, "config.toml"));
  const stores = home === undefined ? [] : ["auth.json", "logins/mcp.json"].map((name) => textOf(join(home, name)));
  const inFile = Array.from(config.matchAll(/apiKeyEnv"?\s*=\s*["']([^"']+)/g), ([, name]) => name);
  const named = new Set([...variables, ...inFile]);
  const all = [...inVariables(env, named), ...stores.flatMap(inAuth), ...inConfig(config)];
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

/** A key and its text in each notation of TOML: `"""…"""`, `'''…'''`, `"…"` and `'…'`. */
const FIELD = /([\w-]+)["']?\s*=\s*(?:"""(.*?)"""|'''(.*?)'''|("(?:[^"\\\n]|\\.)+")|'([^'\n]+)')/gs;

/** A key and the rest of its line, for texts that are not closed or have the wrong quotes. */
const LINE = /([\w-]+)["']?[ \t]*=[ \t]*["']([^\n]*?)["'\s},]*$/gm;

/** Treats `Bearer abc` as a secret both with and without its scheme. */
function inConfig(text: string): string[] {
  return [...text.matchAll(LINE), ...text.matchAll(FIELD)].flatMap(([, key = "", long, raw, basic = "", plain]) => {
    const written = long ?? raw ?? plain ?? basic.slice(1, -1);
    const values = [written, ...written.split("\n"), ...decoded(basic)];
    if (!NAME.test(key) || key === "apiKeyEnv") return values.flatMap(passwordsIn);
    return values.flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
  });
}

/** Decodes a quoted TOML string, as an array of one. Returns an empty array if it has escapes that JSON does not know. */
function decoded(quoted: string): string[] {
  try {
    return [JSON.parse(quoted) as string];
  } catch {
    return []; // The text as it is written is a secret already.
  }
}

/** Finds passwords and values of the query in URLs like `http://user:password@host/?key=value`. */
function passwordsIn(value: string): string[] {
  const passwords = Array.from(value.matchAll(/:\/\/[^/?#@\s]*:([^/?#@\s]+)@/g), ([, password = ""]) => password);
  const queries = Array.from(value.matchAll(/:\/\/[^?#\s]*\?([^#\s]+)/g), ([, query = ""]) => query);
  return [...passwords, ...queries.flatMap(valuesOf)];
}

/** The values of a query, as they are written and decoded. */
function valuesOf(query: string): string[] {
  const written = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [...written, ...new URLSearchParams(query).values()];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
