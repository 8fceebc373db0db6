import { visibleName } from "@scorel/kit/text/plain";
import type { ListedModel, ModelCheck } from "@scorel/model/contract";

/** Formats models as a table: name, window, maximum reply, prices, abilities, and the source of the key. */
export function listText(models: readonly ListedModel[]): string {
  const head = ["model", "window", "reply", "$/M in", "$/M out", "can", "key"];
  const rows = models.map((model) => [
    visibleName(`${model.provider}/${model.id}`),
    tokens(model.contextWindow),
    tokens(model.maxTokens),
    ...prices(model.cost),
    [...(model.thinks ? ["think"] : []), ...(model.images ? ["see"] : [])].join(" ") || "-",
    model.credential ?? (model.ready ? "yes" : "-"),
  ]);
  return aligned([head, ...rows]);
}

/** Tells how to store a key if no listed model has one, or else how to list the models without a key. */
export function hintText(all: number, usable: number): string {
  if (usable === 0) return "scorel: There is no key for any of these. To store one: scorel login <provider>\n";
  return all === usable ? "" : `scorel: ${all - usable} more models have no key here: scorel model list --all\n`;
}

/** Formats the result of a check in one to three lines. */
export function checkText({ model, api, host, credential, ms, window, problem, advice }: ModelCheck): string {
  const asked = `${visibleName(model)} (${api}, ${host}, ${credential})`;
  if (problem === undefined) return `ok  ${asked} answered in ${ms} ms\n${window ? windowText(window) : ""}`;
  return `failed  ${asked}: ${problem}\n${advice === undefined ? "" : `${advice}\n`}`;
}

const known = {
  loaded: "as it is loaded",
  setting: "as the model's own settings say",
  assumed: "assumed, as the server does not tell; with another one, describe the server in [model]",
};

function windowText({ contextWindow, windowFrom }: NonNullable<ModelCheck["window"]>): string {
  return `window ${contextWindow} tokens, ${known[windowFrom ?? "assumed"]}\n`;
}

function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 100_000) / 10}M`;
}

/** Prices of zero mean that the price of the model is not known, not that it is free. */
function prices({ input, output }: ListedModel["cost"]): [input: string, output: string] {
  if (input === 0 && output === 0) return ["unknown", "unknown"];
  return [input.toFixed(2), output.toFixed(2)];
}

/** Aligns columns: text to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const cell = (text: string, column: number) =>
    column > 0 && column < 5 ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return rows.map((row) => `${row.map(cell).join("  ").trimEnd()}\n`).join("");
}
