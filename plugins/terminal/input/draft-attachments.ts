import { sha256Of } from "@scorel/kit/files/hash";
import { removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import type { Attachment } from "../parts.ts";
import { readOwnBytes } from "./own-file.ts";

/** An attachment in a draft: the path of a file, or the name of the picture beside the draft. */
export interface StoredAttachment {
  mark: string;
  path?: string;
  picture?: string;
}

const PICTURE_NAME = /^[0-9a-f]{32}$/;

/**
 * The attachments of a draft. Pictures that are in no file are stored beside the draft: it is written again with each word that is typed,
 * and pictures are large.
 */
export class DraftAttachments {
  private readonly draft: string;
  /** The pictures that are stored, by name. */
  private readonly stored = new Map<string, Uint8Array>();
  /** The names of all pictures, which may have the same content: hashing a large one at each write would be slow. */
  private readonly names = new WeakMap<Uint8Array, string>();

  /** `draft` is the path of the draft. */
  constructor(draft: string) {
    this.draft = draft;
  }

  /** Reads the attachments of a draft that an earlier process left. Those that are damaged or cannot be read are left out. */
  read(value: unknown): Attachment[] {
    return Array.isArray(value) ? value.filter(isStored).flatMap((each) => this.attachment(each) ?? []) : [];
  }

  /** Stores pictures that are not stored yet, and returns what to write into the draft. Throws file system errors. */
  store(attachments: readonly Attachment[]): StoredAttachment[] {
    return attachments.flatMap(({ mark, path, image }) => {
      if (path !== undefined) return { mark, path };
      return image ? { mark, picture: this.nameOf(image) } : [];
    });
  }

  /** Removes the pictures that the draft no longer contains. Throws file system errors. */
  keepOnly(attachments: readonly StoredAttachment[]): void {
    const used = new Set(attachments.map(({ picture }) => picture));
    for (const name of [...this.stored.keys()]) {
      if (used.has(name)) continue;
      removeIfPresent(this.fileOf(name));
      this.stored.delete(name);
    }
  }

  private attachment({ mark, path, picture }: StoredAttachment): Attachment | undefined {
    if (path !== undefined) return { mark, path };
    const image = picture === undefined ? undefined : (this.stored.get(picture) ?? readPicture(this.fileOf(picture)));
    if (picture === undefined || image === undefined) return undefined;
    this.stored.set(picture, image);
    this.names.set(image, picture);
    return { mark, image };
  }

  private nameOf(image: Uint8Array): string {
    const name = this.names.get(image) ?? sha256Of(image).slice(0, 32);
    this.names.set(image, name);
    if (!this.stored.has(name)) {
      replaceFile(this.fileOf(name), image);
      this.stored.set(name, image);
    }
    return name;
  }

  private fileOf(name: string): string {
    return `${this.draft}.${name}.picture`;
  }
}

/** The bytes of a picture; undefined if it cannot be read. The text of the draft is then still restored. */
function readPicture(path: string): Uint8Array | undefined {
  try {
    return readOwnBytes(path);
  } catch {
    return undefined;
  }
}

function isStored(value: unknown): value is StoredAttachment {
  const { mark, path, picture } = (value ?? {}) as Record<string, unknown>;
  const isPath = typeof path === "string" && picture === undefined;
  const isPicture = typeof picture === "string" && PICTURE_NAME.test(picture) && path === undefined;
  return typeof mark === "string" && mark !== "" && (isPath || isPicture);
}
