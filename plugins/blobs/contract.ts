import type {} from "@scorel/host/contract";

/** Stores contents by sha256 (in hex) in `~/.scorel/blobs/<first two digits>/<hash>`, readable only by this user. */
export interface BlobStore {
  /** Stores bytes and returns their hash. With `durable`, they have reached the disk when it returns. Throws BLOB_WRITE. */
  put(bytes: Buffer, options?: { durable?: boolean }): string;
  /**
   * Stores an object that refers to other blobs as `"sha256": "…"` anywhere in it; they are kept as long as it is. Returns its
   * hash. Throws BLOB_WRITE.
   */
  putList(list: object): string;
  /** Whether a blob exists; only `read` checks its bytes. */
  has(hash: string): boolean;
  /** The bytes, checked against the hash; undefined if there is no such blob. Throws BLOB_DAMAGED and BLOB_READ. */
  read(hash: string): Buffer | undefined;
  /** A part of the bytes, unchecked; undefined if there is no such blob. Throws BLOB_READ. */
  part(hash: string, offset: number, length: number): Buffer | undefined;
  /** An object from `putList`; undefined if there is none. Throws BLOB_DAMAGED and BLOB_READ. */
  readList(hash: string): unknown;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Removes blobs to which no session refers, including those in the trash, unless they are recent or newer than a session in
     * use. Throws BLOBS_UNREADABLE, without removing anything, when a log cannot be read.
     */
    purge_blobs: { params: Record<string, never>; result: { removed: number; bytes: number; kept: number } };
  }
}
declare module "@scorel/kernel" {
  interface Services {
    blobs: BlobStore;
  }
}
