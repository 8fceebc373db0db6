import { decoded } from "@scorel/kit/text/decoded";
import { unifiedDiff } from "@scorel/kit/text/diff";
import { slices } from "@scorel/kit/values/slices";
import type { FileChange, FileState, Preview } from "../contract.ts";
import { stateOf } from "../record/observe.ts";
import { same } from "../record/state.ts";
import type { History } from "./history.ts";
import { kindOf, lookAt, type Place, planFor, withoutDuplicates } from "./plan.ts";

/** The largest text to show a diff for. */
const MAX_TEXT = 1024 * 1024;

/** The changes that a restore to a place in the log would make. */
export async function preview(place: Place, history: History, at: number): Promise<Preview> {
  const { steps, notCovered } = await planFor(place, history, at);
  const pause = slices();
  const changes: Preview["changes"] = [];
  for (const { path, present, target, conflict } of steps) {
    await pause();
    changes.push({ ...changeOf(place, path, present, target), ...(conflict !== undefined && { conflict }) });
  }
  return { changes, notCovered };
}

/** How the files differ from their state before the session. */
export async function listChanges(place: Place, history: History): Promise<Preview> {
  const result: Preview = { changes: [], notCovered: history.gapsAfter(-1) };
  const pause = slices();
  for (const path of history.paths) {
    await pause();
    const first = history.first(path);
    const present = lookAt(place, path);
    if (typeof present === "string") result.notCovered.push({ path, reason: present });
    else if (!same(first, present)) result.changes.push(changeOf(place, path, first, present));
  }
  return { ...result, notCovered: withoutDuplicates(result.notCovered) };
}

function changeOf(place: Place, path: string, from: FileState, to: FileState): FileChange {
  // Redacted before the diff cuts long lines, which could split a secret.
  const [before, after] = [from, to].map((state) => {
    const text = textOf(place, path, state);
    return text === undefined ? undefined : place.redact(text);
  });
  const diff = before === undefined || after === undefined ? "" : unifiedDiff(path, before, after);
  return { path, kind: kindOf(from, to), ...(diff !== "" && { diff }) };
}

/** The text of a file: from its blob, or from the disk if the file is still the same. */
function textOf(place: Place, path: string, state: FileState): string | undefined {
  if (state.kind === "absent") return "";
  if (state.kind !== "file" || state.binary || state.size > MAX_TEXT) return undefined;
  if (place.blobs.has(state.sha256)) return textIn(place.blobs.read(state.sha256));
  let content: Buffer | undefined;
  const present = lookAt(place, path, state.size, (bytes, mode) => {
    content = bytes;
    return stateOf(bytes, mode);
  });
  return typeof present !== "string" && same(present, state) ? textIn(content) : undefined;
}

function textIn(content: Buffer | undefined): string | undefined {
  return content && decoded(content);
}
