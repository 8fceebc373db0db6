import type { Invocation } from "@scorel/cli/contract";
import { nearest } from "@scorel/kit/values/nearest";
import { type Scope, scopeNames } from "@scorel/kit/values/scopes";
import { errors } from "./errors.ts";
import { openPages, PAGE, removePages } from "./pages.ts";
import { OWNER, removeToken, storedTokens, tokenFile, writeCurlConfig, writeToken } from "./tokens.ts";

const ACTIONS = ["list", "rotate", "show-path", "remove"];

/** `scorel host token [action] [name]`. Never prints a token itself. */
export async function tokenCommand({ args, options, stdout }: Invocation): Promise<number> {
  const [action = "list", name = OWNER] = args;
  const say = (line: string) => void stdout.write(`${line}\n`);
  if (action === "list") return list(options.output === "json", say);
  if (action === "rotate") {
    const asked = options.scope === undefined ? undefined : scopesOf(String(options.scope));
    const made = await writeToken(name, (former) => asked ?? former?.scopes ?? defaultScopes(name));
    const { path, old, scopes, endedPages } = made;
    say(`The token "${name}" (${scopes.join(", ")}) is in ${path}`);
    if (old) say("The one before it no longer works, and connections that used it are closed.");
    if (endedPages) say("Pages in browsers need a new link: scorel up");
  } else if (action === "show-path") {
    known(name);
    say(tokenFile(name));
  } else if (action === "remove") {
    say(await remove(name));
  } else throw errors.WEB_TOKEN_ACTION({ action, near: nearest(action, ACTIONS) });
  return 0;
}

/** `scorel host curlrc [name]` */
export function curlCommand({ args: [name = OWNER], stdout }: Invocation): number {
  stdout.write(`${writeCurlConfig(name)}\n`);
  return 0;
}

async function remove(name: string): Promise<string> {
  const ended = name === PAGE ? await removePages() : 0;
  if (ended === 0) {
    known(name);
    await removeToken(name);
    return `The token "${name}" no longer works.`;
  }
  return `${ended === 1 ? "The page" : `The ${ended} pages`} in the browser can no longer connect. \`scorel up\` makes a new link.`;
}

function list(asJson: boolean, say: (line: string) => void): number {
  const tokens = storedTokens().map(({ name, scopes, createdAt }) => ({ name, scopes, createdAt }));
  const pages = openPages().map(({ scopes, until }) => ({ scopes, until }));
  if (asJson) say(JSON.stringify({ tokens, pages }, null, 2));
  else if (tokens.length === 0) say("There are no tokens yet. `scorel host serve --port <n>` makes one.");
  else for (const { name, scopes, createdAt } of tokens) say(`${name}  ${scopes.join(", ")}  since ${createdAt}`);
  if (!asJson) for (const { scopes, until } of pages) say(`${PAGE}  ${scopes.join(", ")}  until ${until}`);
  return 0;
}

/** The owner of the home can do everything anyway. Any other token may work in sessions, but not change what is allowed. */
function defaultScopes(name: string): Scope[] {
  return name === OWNER ? ["admin"] : ["view", "prompt", "approve"];
}

function scopesOf(text: string): Scope[] {
  return text.split(",").map((word) => {
    const scope = scopeNames.find((each) => each === word.trim());
    if (!scope) throw errors.WEB_TOKEN_SCOPE({ scope: word });
    return scope;
  });
}

function known(name: string): void {
  const names = [...storedTokens().map((each) => each.name), ...(openPages().length > 0 ? [PAGE] : [])];
  if (!names.includes(name)) throw errors.WEB_TOKEN_UNKNOWN({ name, known: names });
}
