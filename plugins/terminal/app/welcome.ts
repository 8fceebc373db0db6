import type { SessionView } from "@scorel/host/client";
import type { Keys } from "../keys.ts";
import type { Look } from "../rows/look.ts";
import { safeLine } from "../rows/safe.ts";
import { wrapped } from "../rows/wrap.ts";
import { presetOf } from "./status-line.ts";

export interface WelcomeParts {
  version: string;
  cwd: string;
  view: SessionView | undefined;
  keys: Pick<Keys, "label">;
}

/** The greeting in an empty conversation: the directory, the model, and how to get help. */
export function welcome({ version, cwd, view, keys }: WelcomeParts, width: number, { theme, words }: Look): string[] {
  const model = view?.status.model;
  const preset = presetOf(view);
  const foundBy = view?.status.modelFoundBy;
  const problem = view?.status.modelError?.message;
  const rows = [
    `${theme.style("heading", "Scorel")} ${theme.style("muted", version)}`,
    theme.style("muted", safeLine(cwd)),
    model === undefined ? "" : theme.style("muted", words.model(safeLine(model), keys.label("models"))),
    foundBy === undefined ? "" : theme.style("muted", words.modelFoundBy(safeLine(foundBy))),
    preset === undefined ? "" : theme.style("muted", words.preset(safeLine(preset))),
    problem === undefined ? "" : theme.style("warning", safeLine(problem)),
    "",
    theme.style("muted", words.hintStart("?")),
  ].filter((row, at) => row !== "" || at === 6);
  return ["", ...rows.flatMap((row) => wrapped(row, width - 2)).map((row) => ` ${row}`)];
}
