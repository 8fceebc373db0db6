import { SessionProjection, type SessionView } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import { FirstField } from "../../../plugins/terminal/app/first-field.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import { pictureOf } from "../../../plugins/terminal/app/picture.ts";
import { Questions } from "../../../plugins/terminal/app/questions.ts";
import { openList } from "../../../plugins/terminal/app/todos.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { loadHighlighter } from "../../../plugins/terminal/rows/highlight.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { Painter } from "../../../plugins/terminal/screen/painter.ts";
import { themes } from "../../../plugins/terminal/theme/choose.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import type { Words } from "../../../plugins/terminal/words/words.ts";
import { type Emulator, emulator } from "./emulator.ts";

const position = { epoch: "e", persistentSeq: 0, persistentId: null, activation: "a", streamSeq: -1 };
const status = {
  sessionId: "s",
  running: false,
  leafId: null,
  model: "local/my-model",
  thinking: "high",
  meta: { title: "A cart" },
  permissionDefault: "ask",
  context: { share: 0.12 },
  spent: { cost: 0.034, cachedShare: 0.81 },
  branch: "main",
  anchor: position,
  problems: [],
  notices: [],
} as unknown as SessionStatus;

/** The view and transcript of a session with these displays, in the order of the log. */
export function recorded(displays: readonly DisplayAction[]): { view: SessionView; transcript: Transcript } {
  const transcript = new Transcript();
  const view = new SessionProjection(status, (change) => {
    if (change.kind === "rows") transcript.changed(change.index, change.isNew);
    if (change.kind === "reset") transcript.rebuild();
  });
  view.begin({ mode: "full_reload", more: false, anchor: position, status });
  for (const [at, display] of displays.entries()) {
    const role = display.display === "bubble" ? display.role : "tool_result";
    const event = {
      type: "message",
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      seq: at + 1,
      sessionId: "s",
      clientId: "c",
      ts: at,
      message: { role, content: "" },
    };
    view.take({ event, display } as never);
  }
  transcript.follow(view as never, new People({ clientId: "c" }));
  return { view: view as unknown as SessionView, transcript };
}

export interface Screening {
  columns: number;
  rows: number;
  words: Words;
  theme: string;
  cwd?: string;
}

/** Draws such a session on an emulated screen. */
export async function screened(displays: readonly DisplayAction[], how: Screening): Promise<Emulator> {
  const { columns, rows, words, cwd = "/shop" } = how;
  const theme = themeOf(how.theme, themes[how.theme] ?? dark);
  const highlight = (await loadHighlighter())(theme);
  const look: Look = {
    theme,
    words,
    drawing: { theme, highlight },
    isExpanded: false,
    showsThinking: false,
    expandKey: "Ctrl-O",
    thinkingKey: "Ctrl-T",
  };
  const { view, transcript } = recorded(displays);
  const frame = pictureOf({
    columns,
    rows,
    version: "1.0.0",
    cwd,
    view,
    unsent: { isAway: false, texts: [] },
    look,
    keys: createKeys(),
    transcript,
    questions: new Questions({ words, give: async () => {}, field: () => undefined }),
    queueKeys: { chosen: undefined, editing: undefined, held: undefined, nameOf: () => undefined },
    todos: openList(view),
    hidesPanels: false,
    note: undefined,
    isGoingBack: false,
    since: 0,
    field: new FirstField(theme),
    overlay: undefined,
  });
  const screen = emulator(columns, rows);
  const painter = new Painter();
  painter.resize(columns, rows);
  await screen.write(painter.paint(frame));
  return screen;
}
