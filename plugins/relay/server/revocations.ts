import { appendFileSync, closeSync, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { z } from "zod";
import { errors } from "../errors.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { MAX_GRANT_SECONDS, REVOCATION_BYTES } from "../protocol/grants.ts";
import type { Bytes } from "../protocol/primitives.ts";

/** Most clients of one host whose revocations are stored, so that a host cannot fill the disk. */
const MAX_OF_HOST = 10_000;
/** Most revocations of all hosts together, since anyone can connect as any number of hosts. */
const MAX_REVOKED = 200_000;
const LIFE_MS = MAX_GRANT_SECONDS * 1_000;
/** Superseded lines that the file may have beyond as many as count, before it is written anew. */
const SUPERSEDED = 100;
/** Milliseconds between two searches for expired revocations, since a host that is full can ask again and again. */
const SEARCH_MS = 60_000;

const line = z.union([
  z.strictObject({
    ...{ host: z.string(), client: z.string(), serial: z.string().regex(/^\d{1,20}$/), at: z.number() },
    /** The bytes that the host has signed, in base64url. Missing in files of earlier versions. */
    signed: z
      .string()
      .refine((text) => fromBase64url(text)?.length === REVOCATION_BYTES)
      .optional(),
  }),
  z.strictObject({ blocked: z.string(), at: z.number() }),
]);
type Line = z.infer<typeof line>;

interface Revoked {
  serial: bigint;
  at: number;
  signed: string | undefined;
}

/** A revocation with the bytes that the host has signed. Ids are in base64url. */
export interface SignedRevocation {
  host: string;
  client: string;
  serial: bigint;
  signed: Bytes;
}

/** The grants that hosts have revoked, and the identities that the relay's owner has blocked. */
export interface Revocations {
  /** Whether the grant with this serial number is revoked. */
  isRevoked(host: string, client: string, serial: bigint): boolean;
  isBlocked(id: string): boolean;
  /** Stores a revocation before it returns. Returns false if the host, or all hosts together, have revoked too many clients. */
  revoke(revocation: SignedRevocation, now: number): boolean;
  /** The signed bytes of all stored revocations. */
  signed(): Iterable<Bytes>;
  block(id: string, now: number): void;
}

/** Revocations in a file with one line for each, synced before it takes effect. Without a folder, they are kept in memory. */
export class StoredRevocations implements Revocations {
  private readonly path: string | undefined;
  /** Bytes of the file up to the end of its last whole line. */
  private size = 0;
  /** Lines in the file, with those that later ones supersede. */
  private lineCount = 0;
  private searchedAt = Number.NEGATIVE_INFINITY;
  private readonly hosts = new Map<string, Map<string, Revoked>>();
  private readonly blocked = new Map<string, number>();
  private revokedCount = 0;

  /** Throws RELAY_DATA for a damaged file: if the relay lost revocations, it would let revoked clients in. */
  constructor(folder: string | undefined, now: number) {
    this.path = folder === undefined ? undefined : join(folder, "revocations.jsonl");
    if (this.path === undefined) return;
    const text = readIfPresent(this.path) ?? "";
    for (const read of linesOf(this.path, text)) this.take(read, now);
    this.rewrite(this.path);
  }

  isRevoked(host: string, client: string, serial: bigint): boolean {
    const revoked = this.hosts.get(host)?.get(client);
    return revoked !== undefined && serial <= revoked.serial;
  }

  isBlocked(id: string): boolean {
    return this.blocked.has(id);
  }

  revoke({ host, client, serial, signed }: SignedRevocation, now: number): boolean {
    if (this.isRevoked(host, client, serial)) return true;
    if (!this.hasRoom(host, client)) this.dropExpired(now);
    if (!this.hasRoom(host, client)) return false;
    this.keep({ host, client, serial: String(serial), at: now, signed: base64url(signed) }, now);
    return true;
  }

  *signed(): Iterable<Bytes> {
    for (const clients of this.hosts.values())
      for (const { signed } of clients.values()) if (signed !== undefined) yield fromBase64url(signed) as Bytes;
  }

  block(id: string, now: number): void {
    if (!this.isBlocked(id)) this.keep({ blocked: id, at: now }, now);
  }

  private hasRoom(host: string, client: string): boolean {
    const clients = this.hosts.get(host);
    if (clients?.has(client)) return true;
    return this.revokedCount < MAX_REVOKED && (clients?.size ?? 0) < MAX_OF_HOST;
  }

  private dropExpired(now: number): void {
    if (now - this.searchedAt < SEARCH_MS) return;
    this.searchedAt = now;
    for (const [host, clients] of this.hosts) {
      for (const [client, { at }] of clients) if (isExpired(at, now) && clients.delete(client)) this.revokedCount--;
      if (clients.size === 0) this.hosts.delete(host);
    }
  }

  private keep(kept: Line, now: number): void {
    if (this.path !== undefined) this.append(this.path, text(kept));
    this.take(kept, now);
    const counting = this.revokedCount + this.blocked.size;
    // Without this, a host that revokes one client again and again would fill the disk.
    if (this.path !== undefined && this.lineCount > 2 * counting + SUPERSEDED) this.rewrite(this.path);
  }

  /** Writes the file anew, without lines that are superseded or expired. */
  private rewrite(path: string): void {
    const lines = this.lines();
    const text = lines.join("");
    replaceFile(path, text, { durable: true });
    this.size = Buffer.byteLength(text);
    this.lineCount = lines.length;
  }

  private append(path: string, line: string): void {
    const file = openSync(path, "a", 0o600);
    try {
      // If the disk was full, a part of a line may have been left behind, and this one would continue it.
      const whole = Math.min(this.size, fstatSync(file).size);
      ftruncateSync(file, whole);
      appendFileSync(file, line);
      fsyncSync(file);
      this.size = whole + Buffer.byteLength(line);
      this.lineCount++;
    } finally {
      closeSync(file);
    }
  }

  private take(read: Line, now: number): void {
    if ("blocked" in read) {
      this.blocked.set(read.blocked, read.at);
      return;
    }
    if (isExpired(read.at, now)) return;
    const clients = this.hosts.get(read.host) ?? new Map<string, Revoked>();
    this.hosts.set(read.host, clients);
    if (!clients.has(read.client)) this.revokedCount++;
    clients.set(read.client, { serial: BigInt(read.serial), at: read.at, signed: read.signed });
  }

  private lines(): string[] {
    const revoked = [...this.hosts].flatMap(([host, clients]) =>
      [...clients].map(([client, { serial, at, signed }]) =>
        text({ ...{ host, client, serial: String(serial), at }, ...(signed !== undefined && { signed }) }),
      ),
    );
    return [...revoked, ...[...this.blocked].map(([blocked, at]) => text({ blocked, at }))];
  }
}

/** Whether a revocation has no effect any more, since no grant lives that long. */
function isExpired(at: number, now: number): boolean {
  return now - at > LIFE_MS;
}

function text(kept: Line): string {
  return `${JSON.stringify(kept)}\n`;
}

/** Splits the file into lines. An incomplete last line is dropped: the relay was stopped while writing it, and has not confirmed it. */
function linesOf(path: string, content: string): Line[] {
  const texts = content.split("\n").slice(0, -1);
  return texts.map((each, index) => {
    try {
      return line.parse(JSON.parse(each));
    } catch (thrown) {
      throw errors.RELAY_DATA({ path, problem: `line ${index + 1} cannot be read` }, { cause: thrown });
    }
  });
}
