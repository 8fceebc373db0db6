import * as fs from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";

/** The size of the write buffer, so that many small contents take few writes. */
const BUFFER_BYTES = 256 * 1024;

interface Place {
  offset: number;
  size: number;
}

/**
 * Stores contents in one private, unlinked file: most are never needed, and all disappear with the process. Throws file system
 * errors.
 */
export class Pack {
  private readonly places = new Map<string, Place>();
  private fd: number | undefined;
  /** How many bytes are in the file; later ones are in the buffer. */
  private written = 0;
  private buffer: Buffer | undefined;
  private buffered = 0;

  get size(): number {
    return this.written + this.buffered;
  }

  has(sha256: string): boolean {
    return this.places.has(sha256);
  }

  add(sha256: string, bytes: Buffer): void {
    if (this.buffered + bytes.length > BUFFER_BYTES) this.flush();
    const offset = this.size;
    if (bytes.length > BUFFER_BYTES) this.append(bytes);
    else {
      this.buffer ??= Buffer.allocUnsafe(BUFFER_BYTES);
      this.buffered += bytes.copy(this.buffer, this.buffered);
    }
    this.places.set(sha256, { offset, size: bytes.length });
  }

  /** The bytes of a content, without checking their hash. */
  read(sha256: string): Buffer | undefined {
    const place = this.places.get(sha256);
    if (!place) return undefined;
    const { offset, size } = place;
    const bytes = Buffer.alloc(size);
    if (offset >= this.written) this.buffer?.copy(bytes, 0, offset - this.written, offset - this.written + size);
    else fs.readSync(this.file(), bytes, 0, size, offset);
    return bytes;
  }

  close(): void {
    if (this.fd !== undefined) fs.closeSync(this.fd);
    this.fd = undefined;
    this.buffer = undefined;
    this.places.clear();
  }

  private flush(): void {
    if (this.buffer && this.buffered > 0) this.append(this.buffer.subarray(0, this.buffered));
    this.buffered = 0;
  }

  private append(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.file(), bytes, done, bytes.length - done, this.written + done);
    this.written += bytes.length;
  }

  private file(): number {
    if (this.fd !== undefined) return this.fd;
    const folder = makeTemporaryFolder("scorel-pack-");
    try {
      this.fd = fs.openSync(join(folder, "pack"), "wx+", 0o600);
      return this.fd;
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}
