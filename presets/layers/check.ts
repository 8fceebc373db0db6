import type { LayerNotice } from "@scorel/inspect/contract";
import type { AnyPlugin } from "@scorel/kernel";
import { knownKeys, metaAt, unknownKeys } from "@scorel/kit/schema/keys";
import { nearest } from "@scorel/kit/values/nearest";
import { dotted, leavesOf } from "@scorel/kit/values/table";
import type { z } from "zod";
import { catalogue, shipped, unshipped } from "../catalogue.ts";
import { isOfProject, type Layer, placeOf } from "./layer.ts";
import { grammarKeys, listed, type Merged, switchedOff, tablesIn } from "./merge.ts";
import { namesIn, presetFolders } from "./preset-file.ts";
import { checkGrammar, checkTable, type Issue, noTable, parsePath } from "./schema.ts";

/** An extension on disk, for checking the configuration. */
export interface KnownExtension {
  id: string;
  /** Why it is not loaded, such as `switched off`; absent if it is loaded. */
  why?: string;
}

/** One thing that makes a configuration unusable. */
export interface ConfigProblem {
  code: "CONFIG_INVALID" | "CONFIG_SCOPE" | "CONFIG_LOCKED" | "CONFIG_REQUIRES";
  message: string;
}

export interface Verdict {
  /** The problems that make the configuration unusable. */
  problems: ConfigProblem[];
  /** Settings that are accepted but may not do what their author expects. */
  notices: LayerNotice[];
}

/**
 * Checks the merged layers against the grammar, the plugins' schemas, and the limits of projects. Leaves out tables for which `isLater`
 * returns true.
 */
export async function checkLayers(
  merged: Merged,
  plugins: readonly AnyPlugin[],
  extensions: readonly KnownExtension[],
  isLater: (id: string) => boolean = () => false,
): Promise<Verdict> {
  const suggest = (id: string, others: readonly string[] = []) => {
    const ids = extensions.map((extension) => extension.id);
    const near = nearest(id, [...Object.keys(catalogue), ...ids, ...others], { partly: true });
    return near === undefined ? "" : ` Did you mean "${near}"?`;
  };
  const verdict: Verdict = { problems: [], notices: [] };
  for (const layer of merged.layers) {
    for (const issue of checkGrammar(layer.table))
      verdict.problems.push(invalid(issueMessage(issue, placeOf(layer, issue.path))));
    if (layer.kind === "project") verdict.problems.push(...hostPluginsIn(layer));
    if (isOfProject(layer)) verdict.problems.push(...guardsLeftOut(layer));
    verdict.problems.push(...contradictions(layer));
  }
  checkNames(merged, extensions, suggest, verdict);
  checkLocks(merged, { plugins, extensions, suggest, verdict });
  for (const [id, value] of Object.entries(merged.tables))
    if (!isLater(id)) checkPluginTable(id, value, { merged, plugins, extensions, suggest, verdict });
  return verdict;
}

interface Checking {
  merged: Merged;
  plugins: readonly AnyPlugin[];
  extensions: readonly KnownExtension[];
  /** The end of a message about an unknown id: the nearest plugin or extension, or the nearest of the other words. */
  suggest(id: string, others?: readonly string[]): string;
  verdict: Verdict;
}

/** Checks that each lock names an existing key, because a misspelt lock would silently protect nothing. */
function checkLocks({ layers }: Merged, { plugins, extensions, suggest, verdict }: Omit<Checking, "merged">): void {
  for (const layer of layers)
    for (const [text, place] of listed(layer, ["locked"])) {
      const [id = "", ...rest] = parsePath(text) ?? [];
      const schema = plugins.find((plugin) => plugin.id === id)?.config;
      const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), undefined);
      const isKnown = shipped(id) !== undefined || extensions.some((extension) => extension.id === id);
      if (id === "") verdict.problems.push(invalid(`"locked" takes key paths, not ${JSON.stringify(text)} (${place})`));
      else if (!isKnown)
        verdict.problems.push(
          invalid(`"locked" names ${text}, but there is no plugin or extension "${id}" (${place}).${suggest(id)}`),
        );
      else if (schema && rest.length > 0 && unknownKeys(schema, nested).length > 0)
        verdict.problems.push(invalid(`"locked" names ${text}, but [${id}] has no such key (${place})`));
      if (layer.kind === "project")
        verdict.notices.push(
          noEffect(
            `"locked" has no effect in a project's own files, because no layer overrides them (${place})`,
            place,
          ),
        );
    }
}

function checkPluginTable(
  id: string,
  value: unknown,
  { merged, plugins, extensions, suggest, verdict }: Checking,
): void {
  const schema = plugins.find((plugin) => plugin.id === id)?.config;
  const extension = extensions.find((known) => known.id === id);
  const place = merged.placeOf([id]);
  // Extensions first, because one may have the id of a plugin of Scorel that was left out.
  if (extension) {
    const text = `[${id}] is not checked: the extension is ${extension.why} (${place})`;
    if (extension.why) verdict.notices.push({ ...noEffect(text, place), table: id });
  } else if (schema || shipped(id)) {
    verdict.problems.push(...issuesIn(merged, id, schema ?? noTable, value).map(invalid));
    verdict.notices.push(...doubtsIn(merged, id, schema, value));
  } else if (unshipped.includes(id)) {
    verdict.notices.push({
      ...noEffect(`[${dotted([id])}] has no effect yet: no such plugin is part of this version (${place})`, place),
      table: id,
      doNext: "Remove it, until a version of Scorel has that plugin.",
    });
  } else verdict.problems.push(invalid(`${unsupported([id], place)}${suggest(id, grammarKeys)}`));
}

/** Notices about values that the schema accepts but that cannot work, according to the plugin's `.meta({ doubt })`. */
function doubtsIn(merged: Merged, id: string, schema: z.ZodType | undefined, table: unknown): LayerNotice[] {
  return leavesOf(table, [id]).flatMap(({ path, value }) => {
    const doubt = metaAt(schema, path.slice(1), "doubt") as ((value: unknown) => string | undefined) | undefined;
    const flaw = doubt?.(value);
    const place = merged.placeOf(path);
    return flaw === undefined ? [] : [noEffect(`${dotted(path)} ${flaw} (${place})`, place)];
  });
}

/** The problems that a plugin's schema finds in its merged table, each with `file:line`. */
export function issuesIn(merged: Merged, id: string, schema: z.ZodType, table: unknown): string[] {
  return checkTable(schema, table, [id]).map((issue) => issueMessage(issue, merged.placeOf(issue.path), schema));
}

function checkNames(
  { use, without }: Merged,
  extensions: readonly KnownExtension[],
  suggest: Checking["suggest"],
  verdict: Verdict,
): void {
  const isKnown = (id: string) => shipped(id) !== undefined || extensions.some((extension) => extension.id === id);
  for (const [id, place] of use)
    if (!isKnown(id))
      verdict.problems.push(
        invalid(`There is no plugin or extension "${id}" to use (${place}).${aboutPreset(id) ?? suggest(id)}`),
      );
  for (const [id, place] of without)
    if (!isKnown(id) && !unshipped.includes(id))
      verdict.notices.push(
        noEffect(`"${id}" is switched off, but there is no such plugin or extension (${place}).${suggest(id)}`, place),
      );
  for (const { id, why } of extensions) {
    const place = use.get(id);
    if (place && why) verdict.notices.push(noEffect(`"${id}" is not used: the extension is ${why} (${place})`, place));
  }
}

/** Advice for the name of a preset in `use`. */
function aboutPreset(name: string): string | undefined {
  const isPreset = presetFolders(undefined).some(({ dir }) => namesIn(dir).includes(name));
  return isPreset ? ` It is a preset: write extends = ${JSON.stringify(name)}.` : undefined;
}

/** Ids in both `use` and `without` of one layer. In different layers that is no problem, because the later layer counts. */
function contradictions(layer: Layer): ConfigProblem[] {
  const off = new Map(listed(layer, ["without"]));
  return listed(layer, ["use"])
    .filter(([id]) => off.has(id))
    .map(([id, place]) => invalid(`"${id}" is both in "use" and in "without" (${place})`));
}

/** Names of host plugins in a project's layer: they run once per process, so only the user may choose or configure them. */
function hostPluginsIn(layer: Layer): ConfigProblem[] {
  const isOfHost = ([id]: readonly [string, unknown]) => shipped(id)?.scope === "host";
  const tables = tablesIn(layer).filter(isOfHost);
  const named = [...listed(layer, ["use"]), ...listed(layer, ["without"])].filter(isOfHost);
  return [...tables.map(([id]) => [id, placeOf(layer, [id])] as const), ...named].map(([id, place]) => ({
    code: "CONFIG_SCOPE",
    message: refusal(id, place),
  }));
}

function guardsLeftOut(layer: Layer): ConfigProblem[] {
  return switchedOff(layer)
    .filter(([id]) => shipped(id)?.guard)
    .map(([id, place]) => ({
      code: "CONFIG_SCOPE",
      message: `"${id}" enforces the limits that the user sets, so a project cannot leave it out (${place})`,
    }));
}

/** A notice about a setting that may have no effect; `where` is the place that the text names. */
const noEffect = (text: string, where: string): LayerNotice => ({ code: "CONFIG_NO_EFFECT", text, where });

const invalid = (message: string): ConfigProblem => ({ code: "CONFIG_INVALID", message });

const refusal = (id: string, place: string) =>
  `"${id}" runs once per process, so a project cannot change it. Move this to ~/.scorel/config.toml or your own preset (${place})`;

const unsupported = (path: readonly (string | number)[], place: string) =>
  `Unsupported config key: ${dotted(path)} (${place})`;

function issueMessage({ path, message, value }: Issue, place: string, schema?: z.ZodType): string {
  if (message === "Unsupported config key") return `${unsupported(path, place)}${aboutKey(path, schema)}`;
  return `Invalid value of ${entryOf(path, message, value)}: ${message} (${place})`;
}

/** The name of a key. List entries are counted from 1, and their value is added unless the message shows it. */
function entryOf(path: readonly (string | number)[], message: string, value: unknown): string {
  const last = path.at(-1);
  if (typeof last !== "number") return dotted(path);
  const text = JSON.stringify(value) ?? "";
  const shown = text === "" || message.includes(text) ? "" : `, ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
  return `${dotted(path.slice(0, -1))}, entry ${last + 1}${shown}`;
}

/** A hint about an unknown key: the table that it belongs above, or the most similar key. */
function aboutKey(path: readonly (string | number)[], schema: z.ZodType | undefined): string {
  const key = String(path.at(-1));
  if (path.length > 1 && grammarKeys.includes(key) && path.every((part) => typeof part === "string"))
    return ` It stands below [${dotted(path.slice(0, -1))}] and so belongs to that table: put "${key}" above the first [table].`;
  const near = schema && nearest(key, knownKeys(schema, path.slice(1, -1)), { partly: true });
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}
