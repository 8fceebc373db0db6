import type {} from "@scorel/host/contract";

/** Contents by their sha256, in hex: `~/.scorel/blobs/<first two digits>/<hash>`, readable by this user only. */
export interface BlobStore {
  /**
   * Keeps bytes, unless they are kept already, and answers their hash; `durable`: when it answers, they outlive a power failure.
   * Throws BLOB_WRITE.
   */
  put(bytes: Buffer, options?: { durable?: boolean }): string;
  /**
   * Keeps an object that names other blobs, as `"sha256": "…"` anywhere in it: as long as something refers to it, they are kept,
   * too. Answers its hash. Throws BLOB_WRITE.
   */
  putList(list: object): string;
  /** Whether something of that hash is kept; its bytes are looked at by `read` only. */
  has(hash: string): boolean;
  /** The bytes, proved to have that hash; undefined when nothing is kept. Throws BLOB_DAMAGED and BLOB_READ. */
  read(hash: string): Buffer | undefined;
  /** A part of the bytes, not proved; undefined when nothing is kept. Throws BLOB_READ. */
  part(hash: string, offset: number, length: number): Buffer | undefined;
  /** What `putList` kept; undefined when nothing is kept, or something else. Throws BLOB_DAMAGED and BLOB_READ. */
  readList(hash: string): unknown;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Removes the blobs that no session refers to, those in the trash included, and that are neither young nor younger
     * than a session in use. Throws BLOBS_UNREADABLE, and removes nothing, when a log cannot be read.
     */
    purge_blobs: { params: Record<string, never>; result: { removed: number; bytes: number; kept: number } };
  }
}
declare module "@scorel/kernel" {
  interface Services {
    blobs: BlobStore;
  }
}
