import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { openRegular } from "@scorel/kit/files/open";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import { inOwnFolder, inStateFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { z } from "zod";
import type { Grant } from "./contract.ts";
import { errors } from "./errors.ts";
import { revocation } from "./revocation.ts";
import { clientScope, type Scope, scopeNames } from "./scopes.ts";

/** Name of the token that is made for the owner of the home. */
export const OWNER = "owner";
const BYTES = 32;
/** How soon a replaced token ends the connections that used it. */
const LOOK_MS = 250;
/** Milliseconds to wait for another process that changes the tokens. */
const PATIENCE_MS = 10_000;

/** Files that this module writes. */
const OWN_FILE = /^(?:tokens\.json|[a-z\d][a-z\d-]{0,31}\.(?:token|curlrc))$/;

const schema = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string(),
      sha256: z.string().regex(/^[\da-f]{64}$/),
      scopes: z.array(z.enum(scopeNames)),
      createdAt: z.string(),
    }),
  ),
});

/** A token as it is stored: only its digest, so that whoever reads the file cannot use it. */
export type StoredToken = z.infer<typeof schema>["tokens"][number];

/** The folder of the tokens, `~/.scorel/host`. */
const folder = () => join(userDir(), "host");
const storeFile = () => join(folder(), "tokens.json");

/** The file in which the user finds a token. */
export const tokenFile = (name: string) => join(folder(), `${name}.token`);

/** The file with which curl sends a token. */
const curlFile = (name: string) => join(folder(), `${name}.curlrc`);

/** Writes a configuration of curl that sends a token, so that it is on no command line. Throws WEB_TOKEN_UNKNOWN. */
export function writeCurlConfig(name: string): string {
  assertName(name);
  const token = readIfPresent(tokenFile(name))?.trim();
  if (token === undefined) throw errors.WEB_TOKEN_UNKNOWN({ name, known: storedTokens().map((each) => each.name) });
  const lines = [`Authorization: Bearer ${token}`, "Content-Type: application/json"];
  replaceFile(curlFile(name), lines.map((line) => `header = "${line}"\n`).join(""));
  return curlFile(name);
}

/** The stored tokens. Throws WEB_TOKEN_STORE for a file that another user may have written, and for a damaged one. */
export function storedTokens(): StoredToken[] {
  const path = storeFile();
  try {
    const file = openRegular(path);
    if (!file) throw new Error("it is not a regular file");
    try {
      const flaw = flawOf(file.stat);
      if (flaw !== undefined) throw new Error(flaw);
      return schema.parse(JSON.parse(readFileSync(file.fd, "utf8")), { jitless: true }).tokens;
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw errors.WEB_TOKEN_STORE({ path, problem: messageOf(thrown) }, { cause: thrown });
  }
}

/** Makes a token, in place of the one with the same name, and writes it to its file. `scopes` is told which one it replaces. */
export async function writeToken(name: string, scopes: (old: StoredToken | undefined) => readonly Scope[]) {
  assertName(name);
  return changing(() => {
    const token = `scorel_${randomBytes(BYTES).toString("base64url")}`;
    const stored = storedTokens();
    const old = stored.find((each) => each.name === name);
    const sha256 = digestOf(token).toString("hex");
    const path = tokenFile(name);
    replaceFile(path, `${token}\n`, { durable: true });
    const made = { name, sha256, scopes: [...scopes(old)], createdAt: new Date().toISOString() };
    store([...stored.filter((each) => each !== old), made]);
    if (existsSync(curlFile(name))) writeCurlConfig(name);
    return { path, old, scopes: made.scopes };
  });
}

function assertName(name: string): void {
  if (!/^[a-z\d][a-z\d-]{0,31}$/.test(name)) throw errors.WEB_TOKEN_NAME({ name });
}

/** Removes a token and its file. Throws WEB_TOKEN_UNKNOWN. */
export async function removeToken(name: string): Promise<void> {
  await changing(() => {
    const tokens = storedTokens();
    const others = tokens.filter((each) => each.name !== name);
    if (others.length === tokens.length)
      throw errors.WEB_TOKEN_UNKNOWN({ name, known: tokens.map((each) => each.name) });
    store(others);
    for (const path of [tokenFile(name), curlFile(name)]) removeStateFile(folder(), basename(path));
  });
}

/** The tokens as what a reset deletes, also when the stored ones cannot be read. */
export function keptTokens(): { what: string; clear(): Promise<void> } | undefined {
  const files = inStateFolder(folder(), (opened) => opened.names().filter((name) => OWN_FILE.test(name))) ?? [];
  if (files.length === 0) return undefined;
  const names = files.flatMap((name) => (name.endsWith(".token") ? name.slice(0, -".token".length) : []));
  const clear = () =>
    changing(() => {
      for (const name of files) removeStateFile(folder(), name);
    });
  return { what: `the tokens (${names.join(", ") || "none"}); clients that use them can no longer connect`, clear };
}

/** Changes the stored tokens while no other process does, so that two changes at once are both kept. */
async function changing<R>(work: () => R): Promise<R> {
  inOwnFolder(folder(), () => {});
  const lock = await takeLock(`${storeFile()}.lock`, PATIENCE_MS);
  if (!lock) throw errors.WEB_TOKEN_BUSY({ path: `${storeFile()}.lock` });
  try {
    return work();
  } finally {
    lock.release();
  }
}

function store(tokens: readonly StoredToken[]): void {
  replaceFile(storeFile(), `${JSON.stringify({ tokens }, null, 2)}\n`, { durable: true });
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Checks tokens against the stored ones, and notices when those change. */
export class TokenCheck {
  private readonly used = new Map<string, AbortController>();
  private readonly failed: (thrown: unknown) => void;
  private readonly changed: () => void;
  private readonly timer: NodeJS.Timeout;
  private seen = stamp();

  /** `failed` is called when the stored tokens cannot be read, and nobody is let in; `changed` when they are other ones. */
  constructor({ failed, changed }: { failed: (thrown: unknown) => void; changed: () => void }) {
    this.failed = failed;
    this.changed = changed;
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  /** What a token allows; undefined for an unknown one. The file is read each time, so a removed token is refused at once. */
  grant(token: string | undefined): Grant | undefined {
    if (token === undefined || token.length > 1_024) return undefined;
    const digest = digestOf(token);
    let found: StoredToken | undefined;
    // All are compared, so that the time does not tell which one is similar.
    for (const stored of this.read()) if (timingSafeEqual(digest, Buffer.from(stored.sha256, "hex"))) found = stored;
    if (!found) return undefined;
    const identity = identityOf(found);
    const controller = this.used.get(identity) ?? revocation();
    this.used.set(identity, controller);
    const { name, scopes } = found;
    return { name, identity, scope: clientScope(scopes), scopes, revoked: controller.signal };
  }

  end(): void {
    clearInterval(this.timer);
  }

  private read(): readonly StoredToken[] {
    try {
      return storedTokens();
    } catch (thrown) {
      this.failed(thrown);
      return [];
    }
  }

  private look(): void {
    const seen = stamp();
    if (seen === this.seen) return;
    this.seen = seen;
    this.changed();
    const valid = new Set(this.read().map(identityOf));
    for (const [identity, controller] of this.used)
      if (!valid.has(identity)) {
        this.used.delete(identity);
        controller.abort();
      }
  }
}

/** Names a token with its scopes, without telling its digest. */
function identityOf({ name, sha256, scopes }: StoredToken): string {
  return createHash("sha256").update(`${name} ${sha256} ${scopes}`).digest("base64url");
}

/** Changes whenever the stored tokens do. */
function stamp(): string {
  const stats = lstatSync(storeFile(), { bigint: true, throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.mtimeNs} ${stats?.size}`;
}
