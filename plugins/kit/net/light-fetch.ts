/**
 * Replacements for the built-in `Headers`, `Response` and `Request`, whose first use takes 15 ms. The bundle uses them. They have
 * only the parts that the providers' SDKs and our own client use. `instanceof` recognizes objects of the built-in classes, too.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";

type Pairs = Iterable<readonly [name: string, value: string]>;
type HeadersSource = Pairs | Readonly<Record<string, string>> | undefined;

function isTagged(value: unknown, tag: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${tag}]`;
}

/** Headers whose names ignore case. Repeated values are joined by commas. Throws a TypeError for an invalid header. */
export class Headers implements Iterable<[string, string]> {
  readonly [Symbol.toStringTag] = "Headers";
  private readonly fields = new Map<string, string>();

  constructor(source?: HeadersSource) {
    const pairs = source && Symbol.iterator in source ? (source as Pairs) : Object.entries(source ?? {});
    for (const [name, value] of pairs) this.append(name, value);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isTagged(value, "Headers");
  }

  get(name: string): string | null {
    return this.fields.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.fields.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    const text = String(value).trim();
    validateHeaderName(name);
    validateHeaderValue(name, text);
    this.fields.set(name.toLowerCase(), text);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.fields.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this) visit(value, name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.fields.entries();
  }

  keys(): IterableIterator<string> {
    return this.fields.keys();
  }

  values(): IterableIterator<string> {
    return this.fields.values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

type Body = string | ReadableStream<Uint8Array> | null | undefined;
interface ResponseInit {
  status?: number | undefined;
  statusText?: string | undefined;
  headers?: HeadersSource | Headers;
}

/** A response whose body can be read once. */
export class Response {
  readonly [Symbol.toStringTag] = "Response";
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url = "";
  /** A text is converted to a stream only when `body` is read. */
  private source: Body;
  private used = false;

  constructor(body?: Body, { status = 200, statusText = "", headers }: ResponseInit = {}) {
    this.source = body;
    this.status = status;
    this.statusText = statusText;
    this.headers = new Headers(headers);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isTagged(value, "Response");
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    const response = new Response(JSON.stringify(value), init);
    if (!response.headers.has("content-type")) response.headers.set("content-type", "application/json");
    return response;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.used;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (typeof this.source === "string") this.source = streamOf(this.source);
    return this.source ?? null;
  }

  async text(): Promise<string> {
    const { source } = this;
    if (typeof source !== "string") return (await this.bytes()).toString("utf8");
    this.use();
    return source;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = await this.bytes();
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  }

  private async bytes(): Promise<Buffer> {
    this.use();
    const pieces: Uint8Array[] = [];
    for await (const piece of this.body ?? []) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  private use(): void {
    if (this.used) throw new TypeError("the body of this response was read already");
    this.used = true;
  }
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** Stands for a built-in class on the right of `instanceof`; recognizes objects by their tag. */
const tagged = (tag: string) => ({ [Symbol.hasInstance]: (value: unknown) => isTagged(value, tag) });
export const Request = tagged("Request");
export const FormData = tagged("FormData");
