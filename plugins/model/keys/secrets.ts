import { isKeyVariable } from "../choose/provider-keys.ts";
import type { SecretsService } from "../contract.ts";
import { hideFromProc } from "./environment-block.ts";
import { HOST_TOKEN, type Mask, maskOf } from "./mask.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Minimum length of a secret; shorter values may be ordinary words. */
const SHORTEST = 8;
/** Minimum length of a secret line of a multi-line secret, longer than the end line of a PEM file. */
const SHORTEST_LINE = 32;

/** Secrets named by a model's table: a variable, and headers that may hold one. */
export interface SecretSources {
  apiKeyEnv?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The service `secrets` with methods for this plugin only. */
export interface Secrets extends SecretsService {
  /** Adds secret values to redact. */
  learn(values: readonly string[]): void;
}

/** Creates the service `secrets` from the environment and the stored credentials. */
export function createSecrets(
  sources: readonly SecretSources[],
  stored: readonly string[] = [],
  env: Env = process.env,
): Secrets {
  const named = new Set(sources.map(({ apiKeyEnv }) => apiKeyEnv));
  const holdsKey = (name: string) => named.has(name) || isKeyVariable(name);
  // Values are kept as they were given, since forms of forms would grow without end.
  const given = new Set(secretValues(sources, stored, env, holdsKey));
  let values = formsSorted(given);
  let mask = maskOf(values);
  let hidden = false;
  return {
    childEnv(from = env) {
      if (env === process.env && !hidden) {
        const kept = childEnv(env, holdsKey, values);
        hideFromProc(Object.keys(env).filter((name) => !(name in kept)));
      }
      hidden = true;
      return childEnv(from, holdsKey, values);
    },
    redact: (text) => mask.whole(text),
    redactor: () => redactor(() => mask),
    spans: (bytes) => spansOf(bytes, values),
    learn(more) {
      if (more.every((value) => given.has(value))) return;
      for (const value of more) given.add(value);
      values = formsSorted(given);
      mask = maskOf(values);
    },
  };
}

/** Returns the secrets of the environment, the stored credentials and the headers. */
function secretValues(
  sources: readonly SecretSources[],
  stored: readonly string[],
  env: Env,
  holdsKey: (name: string) => boolean,
): string[] {
  const keys = Object.entries(env).flatMap(([name, value]) => (holdsKey(name) && value ? [value, value.trim()] : []));
  const headers = sources
    .flatMap((source) => Object.entries(source.headers ?? {}))
    .flatMap(([name, value]) => (isSecretHeader(name) ? secretParts(value) : []));
  return [...keys, ...stored, ...headers];
}

/** Returns all forms of secrets, longest first, so that a key which begins with another one is replaced as a whole. */
function formsSorted(secrets: Iterable<string>): string[] {
  const long = [...secrets].filter((value) => value.length >= SHORTEST).flatMap(formsOf);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

/** Returns a secret in plain, JSON and URL form, plus its lines, since tools show files line by line. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line !== value && line.length >= SHORTEST_LINE);
  return [value, ...lines].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), urlPartOf(text)]);
}

function urlPartOf(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // A lone surrogate cannot be encoded in a URL.
  }
}

/** Finds the secrets' byte ranges, ascending and merged. */
function spansOf(bytes: Buffer, values: readonly string[]): [from: number, to: number][] {
  const text = bytes.includes("corel_") ? bytes.toString("latin1") : "";
  const tokens = Array.from(text.matchAll(new RegExp(HOST_TOKEN, "g")), ([token]) => token);
  const found = [...values, ...tokens].flatMap((value) => {
    const wanted = Buffer.from(value);
    const places: [number, number][] = [];
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1))
      places.push([at, at + wanted.length]);
    return places;
  });
  const merged: [number, number][] = [];
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function isSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie/i.test(name);
}

/** Treats `Bearer abc` as a secret both with and without its scheme. */
function secretParts(value: string): string[] {
  return [value, value.replace(/^\S+\s+/, "")];
}

function childEnv(env: Env, holdsKey: (name: string) => boolean, values: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || holdsKey(name)) continue;
    if (!HOST_TOKEN.test(value) && !values.some((secret) => value.includes(secret))) kept[name] = value;
  }
  return kept;
}

function redactor(mask: () => Mask): ReturnType<SecretsService["redactor"]> {
  let held = "";
  return {
    write(chunk) {
      const split = mask().split(held + chunk);
      held = split.held;
      return split.ready;
    },
    end() {
      const rest = mask().whole(held);
      held = "";
      return rest;
    },
  };
}
