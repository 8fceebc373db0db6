import type {} from "@scorel/host/contract";

/** Stores contents by sha256 (in hex) in `~/.scorel/blobs/<first two digits>/<hash>`, readable only by this user. */
export interface BlobStore {
  /** Stores bytes, and returns their hash. With `durable`, they are synced when it returns. Throws BLOB_WRITE. */
  put(bytes: Buffer, options?: { durable?: boolean }): string;
  /**
   * Stores an object that refers to other blobs: their hashes are strings anywhere in it. These blobs are kept as long as the object.
   * Returns its hash. Throws BLOB_WRITE.
   */
  putList(list: object): string;
  /** Whether a blob exists; only `read` checks its bytes. */
  has(hash: string): boolean;
  /** Returns the bytes, after checking their hash; undefined if there is no such blob. Throws BLOB_DAMAGED, BLOB_READ. */
  read(hash: string): Buffer | undefined;
  /** Returns a part of the bytes, without checking; undefined if there is no such blob. Throws BLOB_READ. */
  part(hash: string, offset: number, length: number): Buffer | undefined;
  /** Returns an object stored by `putList`; undefined if there is none. Throws BLOB_DAMAGED, BLOB_READ. */
  readList(hash: string): unknown;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Removes blobs that no session refers to, including those in the trash, unless they are recent or newer than a session in use. Throws
     * BLOBS_UNREADABLE, without removing anything, if a log cannot be read.
     */
    purge_blobs: { params: Record<string, never>; result: { removed: number; bytes: number; kept: number } };
  }
}
declare module "@scorel/kernel" {
  interface Services {
    blobs: BlobStore;
  }
}
