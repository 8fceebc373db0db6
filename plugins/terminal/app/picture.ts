import { homedir } from "node:os";
import { isConnected, type LiveCall, type SessionView } from "@scorel/host/client";
import type { Rights } from "@scorel/host/contract";
import type { Keys } from "../keys.ts";
import type { Component, Cursor } from "../parts.ts";
import type { Look } from "../rows/look.ts";
import { oneLine, safeOutput } from "../rows/safe.ts";
import { shortPath } from "../rows/short-path.ts";
import { columnsIn, cut, wrapped } from "../rows/wrap.ts";
import type { Frame } from "../screen/painter.ts";
import { arranged } from "./layout.ts";
import { pluginPanels } from "./plugin-panels.ts";
import type { Questions } from "./questions.ts";
import type { QueueKeys } from "./queue-keys.ts";
import { activityLine, statusLine } from "./status-line.ts";
import { queueStrip, unsentStrip } from "./strip.ts";
import { type openList, todoPanel } from "./todos.ts";
import type { Transcript } from "./transcript.ts";
import type { Waiting } from "./unsent.ts";
import { welcome } from "./welcome.ts";

/** A notice that is shown above the field until the next key. */
export interface Note {
  text: string;
  level: "info" | "warning" | "error";
}

/** Everything that a frame is drawn from. */
export interface Scene {
  columns: number;
  rows: number;
  version: string;
  cwd: string;
  view: SessionView | undefined;
  look: Look;
  keys: Keys;
  transcript: Transcript;
  questions: Questions;
  queueKeys: Pick<QueueKeys, "chosen" | "editing" | "held" | "nameOf">;
  /** Entries that the host has not taken yet. */
  unsent: Waiting;
  todos: ReturnType<typeof openList>;
  /** Whether the user may send messages and answer questions. Default: both. */
  rights?: Rights;
  /** Whether the panels of plugins are hidden. */
  hidesPanels: boolean;
  note: Note | undefined;
  /** Whether a slash command of this user runs. */
  isCommanding?: boolean;
  /** Whether earlier messages are being loaded on the way to the first one. */
  isGoingBack: boolean;
  /** When the present activity began, in milliseconds since 1970. */
  since: number;
  field: Pick<Component, "render"> & { readonly cursor?: Cursor | undefined };
  /** Shown instead of everything else while it is set. */
  overlay: (Component & { readonly cursor?: Cursor | undefined }) | undefined;
}

/** Draws a scene as a frame. */
export function pictureOf(scene: Scene): Frame {
  const { columns, rows, overlay, field, questions, look, keys } = scene;
  if (overlay) scene.questions.hidden();
  if (overlay) return { lines: overlay.render(columns), cursor: overlay.cursor, moving: 0 };
  const parts = statusParts(scene);
  return arranged({
    columns,
    rows,
    conversation: (height) => conversation(scene, height),
    above: above(scene),
    question: (room) => questions.render(columns, room, { theme: look.theme, words: look.words, keys }),
    notice: linesAbove(scene, (width) => activityLine(parts, width)),
    field,
    foot: [statusLine(parts, columns)],
  });
}

function statusParts({ view, look, keys, since, transcript, cwd, rights, isCommanding }: Scene) {
  const own = view?.status.meta.cwd;
  const directory = own === undefined || own === cwd ? undefined : shortPath(own, homedir());
  return {
    view,
    theme: look.theme,
    words: look.words,
    keys,
    now: Date.now(),
    since,
    directory,
    mayAnswer: rights?.answer,
    isCommanding,
    startOf: (call: LiveCall) => transcript.startOf(call),
  };
}

function conversation(
  { transcript, look, columns, version, cwd, view, keys }: Scene,
  height: number,
): readonly string[] {
  const lines = transcript.render(columns, height, look);
  if (!transcript.isEmpty) return lines;
  const greeting = welcome(
    { version, cwd: shortPath(view?.status.meta.cwd ?? cwd, homedir()), view, keys },
    columns,
    look,
  );
  if (lines.length === 0) return greeting.slice(0, height);
  return greeting.length + 1 + lines.length <= height ? [...greeting, "", ...lines] : lines;
}

function above(scene: Scene): string[][] {
  const { columns, look, keys, queueKeys, todos, view } = scene;
  const { theme, words } = look;
  const panel = todos ? todoPanel(todos, columns, theme) : [];
  const ofPlugins = scene.hidesPanels ? [] : pluginPanels(view?.status.panels ?? [], columns, theme);
  const strip = queueStrip(
    view?.queue ?? [],
    columns,
    { theme, words, keys, isIdle: view?.status.running === false, isAway: view && !isConnected(view) },
    queueKeys,
    queueKeys.nameOf,
  );
  return [
    apart(ofPlugins),
    apart(panel),
    apart(strip),
    apart(unsentStrip(scene.unsent, columns, { theme, words, keys })),
  ];
}

function apart(lines: string[]): string[] {
  return lines.length > 0 ? ["", ...lines] : [];
}

/** The columns that a retry needs at least, so that its time and the key that interrupts are seen. */
const LEAST_FOR_RETRY = 50;
const GAP = "  ";
/** The most lines of a notice. */
const MOST_NOTICE = 3;

/** The lines above the field: a notice, or the line for everything else. */
export function linesAbove(
  { note, ...scene }: Parameters<typeof lineAbove>[0] & Pick<Scene, "note">,
  activity: (width: number) => string | undefined,
): string[] {
  const { columns, look } = scene;
  if (!note) return [lineAbove(scene, activity)];
  const role = note.level === "info" ? "accent" : note.level;
  return wrapped(look.theme.style(role, oneLine(safeOutput(note.text))), columns).slice(0, MOST_NOTICE);
}

/** The line above the field: that earlier messages are being loaded, how many lines are below the view, or the activity. */
export function lineAbove(
  scene: Pick<Scene, "columns" | "look" | "keys" | "transcript" | "isGoingBack" | "view">,
  activity: (width: number) => string | undefined,
): string {
  const { columns, look, keys, transcript, isGoingBack, view } = scene;
  const { theme, words } = look;
  if (isGoingBack) return cut(theme.style("accent", words.loadingEarlier(keys.label("interrupt"))), columns);
  if (transcript.isAtEnd) return activity(columns) ?? "";
  const { count, isMore } = transcript.below(look);
  const lines = words.lines(count, isMore);
  const below = theme.style("accent", words.below(lines, keys.label("bottom")));
  if (view && isRetrying(view)) return retryFirst(activity, columns, [below, theme.style("accent", `↓ ${lines}`)]);
  const now = activity(columns);
  return cut(now === undefined ? below : `${below}${GAP}${now}`, columns);
}

function isRetrying({ status }: SessionView): boolean {
  return status.retrying !== undefined || status.connection === "reconnecting";
}

/** A retry, and after it the first of `others` that leaves it enough room. */
function retryFirst(
  activity: (width: number) => string | undefined,
  columns: number,
  others: readonly string[],
): string {
  const roomBeside = (other: string) => columns - columnsIn(GAP + other);
  const beside = others.find((other) => roomBeside(other) >= LEAST_FOR_RETRY);
  if (beside === undefined) return activity(columns) ?? "";
  return `${activity(roomBeside(beside)) ?? ""}${GAP}${beside}`;
}
