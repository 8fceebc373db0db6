import { countTokens, encode } from "gpt-tokenizer/encoding/o200k_base";

/** A provider's cache stores multiples of STEP tokens, and at least LEAST. */
const STEP = 128;
const LEAST = 1_024;

/** The body of a request on the wire of openai-completions. */
export interface Wire {
  messages: readonly WireMessage[];
  tools?: readonly object[];
}
interface WireMessage {
  role: string;
  content?: string | readonly { text?: string }[] | null;
  tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}
/** Tokens of consecutive requests. */
export interface Cost {
  requests: number;
  prompt: number;
  /** Those of `prompt` that the previous request began with, so that a cache serves them. */
  cached: number;
  /** Tokens of the last request. */
  last: number;
}

const counted = new Map<string, number>();

/** Tokens of a text in the encoding o200k. Special tokens in the text count as plain text. */
export function tokensIn(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  counted.set(text, tokens);
  return tokens;
}

/** The tokens of requests for a provider that caches only the previous request; the first one is not cached. */
export function costOf(requests: readonly Wire[]): Cost {
  const all = requests.map(segmentsOf);
  const sizes = all.map((segments) => segments.reduce((size, text) => size + tokensIn(text), 0));
  const cached = all.reduce((sum, segments, at) => sum + cachedOf(all[at - 1] ?? [], segments), 0);
  const prompt = sizes.reduce((sum, size) => sum + size, 0);
  return { requests: requests.length, prompt, cached, last: sizes.at(-1) ?? 0 };
}

/** The share of tokens that a cache cannot serve, in percent. */
export function uncachedShare({ prompt, cached }: Cost): number {
  return 100 * (1 - cached / prompt);
}

/** The smallest possible share: each request only extends the one before, and the cache has no steps. */
export function leastShare({ prompt, last }: Cost): number {
  return (100 * last) / prompt;
}

/** The tools and then the messages of a request, each as text. */
function segmentsOf({ messages, tools }: Wire): string[] {
  return [JSON.stringify(tools ?? []), ...messages.map(textOf)];
}

function textOf({ role, content, tool_calls: calls = [], tool_call_id: answers = "" }: WireMessage): string {
  const said = typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
  const called = calls.map(({ id, function: { name, arguments: args } }) => `\n${id} ${name} ${args}`);
  return `${role} ${answers}\n${said}${called.join("")}\n`;
}

function cachedOf(before: readonly string[], now: readonly string[]): number {
  const differs = now.findIndex((text, at) => text !== before[at]);
  const same = differs < 0 ? now : now.slice(0, differs);
  const whole = same.reduce((sum, text) => sum + tokensIn(text), 0);
  const rest = differs < 0 ? 0 : commonTokens(before[differs] ?? "", now[differs] ?? "");
  const steps = Math.floor((whole + rest) / STEP) * STEP;
  return steps < LEAST ? 0 : steps;
}

/** The number of tokens at the start of two texts that are equal. */
function commonTokens(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  // Encodes only the equal part and a little more, since no token is longer than that.
  const [left, right] = [one, other].map((text) => tokensOf(text.slice(0, same + 256))) as [number[], number[]];
  const at = left.findIndex((token, index) => token !== right[index]);
  return at < 0 ? left.length : at;
}

function tokensOf(text: string): number[] {
  return encode(text, { disallowedSpecial: new Set() });
}
