import { environmentOf } from "@scorel/kit/process/environment";
import { errors } from "../errors.ts";
import type { Definition, Way } from "./definitions.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that every server gets and that servers of projects may use. None of them contains a key. */
const HARMLESS = new Set([
  ...["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"],
  ...["SSL_CERT_DIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"],
]);
const isHarmless = (name: string) => HARMLESS.has(name) || name.startsWith("LC_");

/**
 * Matches names of variables and headers whose values are secret. Values of others, such as `production`, may be ordinary words in a
 * result.
 */
const SECRET = /key|token|secret|passw|auth|cookie|credential|private/i;

/** Variables that can be used in the definition of a server. */
export interface Sources {
  /** Variables for commands, without keys. */
  commands: Variables;
  /** All variables of the user. Only the user's own configuration may use them. */
  user: Variables;
  /** Names of variables that the user allows servers of projects to use. */
  allowed: readonly string[];
}

/** The environment variables that every server gets. */
export function baseEnvironment({ commands }: Pick<Sources, "commands">): Record<string, string> {
  const kept = Object.entries(commands).flatMap(([name, value]) =>
    value !== undefined && isHarmless(name) ? [[name, value]] : [],
  );
  return Object.fromEntries(kept);
}

/** The variables of a session: those of this process, overridden by those that its client gave. */
export function userVariables(given: readonly string[] | undefined): Variables {
  return given ? { ...process.env, ...environmentOf(given) } : process.env;
}

/** A `Way` in which `${NAME}` and `${NAME:-default}` are replaced, with the values that must not be shown. */
export interface Expanded {
  way: Way;
  secrets: string[];
}

/** Replaces the variables in the definition of a server. Throws MCP_VARIABLE. */
export function expanded(definition: Definition, sources: Sources): Expanded {
  const secrets: string[] = [];
  const text = (written: string) => withValues(written, definition, sources, secrets);
  const texts = (table: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(table).map(([name, written]) => {
        const value = text(written);
        if (SECRET.test(name)) secrets.push(value, ...value.split(/\s+/));
        return [name, value];
      }),
    );
  const { way } = definition;
  const made =
    "url" in way
      ? { url: text(way.url), headers: texts(way.headers), ...(way.oauth && { oauth: texts(way.oauth) }) }
      : { command: text(way.command), args: way.args.map(text), env: texts(way.env), cwd: text(way.cwd) };
  return { way: made, secrets: secrets.filter((value) => value.length >= 8) };
}

function withValues(written: string, definition: Definition, sources: Sources, secrets: string[]): string {
  if (definition.literal) return written;
  return written.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = variableOf(name, definition, sources) ?? otherwise;
    if (value === undefined)
      throw errors.MCP_VARIABLE({ server: definition.name, variable: name, ofProject: definition.ofProject });
    if (SECRET.test(name)) secrets.push(value);
    return value;
  });
}

function variableOf(name: string, { ofProject }: Definition, { commands, user, allowed }: Sources): string | undefined {
  if (!ofProject) return user[name];
  if (allowed.includes(name)) return user[name];
  return isHarmless(name) ? commands[name] : undefined;
}
