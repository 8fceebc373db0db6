import type {} from "@scorel/checkpoints/contract";
import type { FilesRestored } from "@scorel/history/contract";
import type { SessionStatus } from "@scorel/host/contract";
import type { HistoryWalk } from "../input/history-walk.ts";
import type { KeyAction } from "../keys.ts";
import type { Component, Field, Surroundings } from "../parts.ts";
import { branchPicker } from "./branches.ts";
import { historyPicker } from "./history.ts";
import { modelPicker, nameOf } from "./models.ts";
import type { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";
import { presetPicker } from "./presets.ts";
import { filesOf, type RewindPoint, type RewindScope, restorable, rewindPicker, rewindScopePicker } from "./rewind.ts";
import { sessionPicker } from "./sessions.ts";
import { settingPicker, tomlOf } from "./settings.ts";
import { skillPicker } from "./skills.ts";
import { wholeOf } from "./text-of.ts";

/** The parts of the application that the actions of pickers use. */
export interface PickerHost extends Surroundings, PickerPlace {
  /** Shows a component instead of the conversation and the field; undefined shows these again. */
  show(part: Component | undefined): void;
  /** Runs work and shows its error if it fails. */
  attempt(work: () => Promise<unknown>): void;
  /** Opens a stored session, read-only if the user may not write. */
  load(sessionId: string): Promise<SessionStatus>;
  /** Shows another session. */
  enter(status: SessionStatus): Promise<void>;
  /** Creates a session in the directory of the shown one, and shows it. */
  begin(): Promise<void>;
  /** Adds a note to the conversation, where it stays. */
  say(text: string): void;
}

/** The actions that open pickers. */
export interface Pickers {
  actions: Partial<Record<KeyAction, () => void>>;
  rewind(): void;
  /** Lets the user choose a session before one is open. Resolves with its id; null if the user cancels. */
  choose(): Promise<string | null>;
}

/** Creates the actions that open pickers. `field` gets texts that the user chooses. */
export function createPickers(at: PickerHost, field: Field, walk: HistoryWalk): Pickers {
  const { client } = at;
  const open = <Item>(picker: ListPicker<Item>, chosen: (item: Item) => unknown) => {
    picker.onCancel = () => at.show(undefined);
    picker.onChoose = (item) => {
      at.show(undefined);
      at.attempt(async () => chosen(item));
    };
    at.show(picker);
  };
  const inSession = (work: (sessionId: string) => void) => () => {
    if (at.sessionId !== undefined) work(at.sessionId);
  };
  const rewind = inSession((sessionId) =>
    open(rewindPicker(at, sessionId), async (point) => {
      const files = await filesOf(client, sessionId, point.row.parentId);
      if (!files || restorable(files).length === 0) return goBack(at, field, sessionId, point, "conversation");
      open(rewindScopePicker(at, files, point.row.parentId), (scope) => goBack(at, field, sessionId, point, scope));
    }),
  );
  const removedHere = async (name: string) => {
    at.show(undefined);
    await at.begin();
    at.say(at.pickerWords.removedHere(name));
  };
  return {
    actions: {
      history: () =>
        open(historyPicker(at, walk, field.mode), ({ text, mode, silent, attachments }) =>
          field.setText(text, mode, silent, attachments),
        ),
      sessions: () => open(sessionPicker(at, removedHere), async ({ sessionId }) => at.enter(await at.load(sessionId))),
      models: inSession((sessionId) =>
        open(modelPicker(at, sessionId), async (model) =>
          at.tell((await client.request("set_model", { sessionId, model: nameOf(model) })).text),
        ),
      ),
      presets: () => {
        const cwd = at.status?.meta.cwd ?? at.cwd;
        open(presetPicker(at, cwd), async ({ name }) =>
          at.enter(await client.request("create_session", { cwd, preset: name })),
        );
      },
      skills: inSession((sessionId) =>
        open(skillPicker(at, sessionId), ({ name }) =>
          field.setText(`${field.text}$${name} `, field.mode, field.silent, field.attachments),
        ),
      ),
      settings: inSession((sessionId) =>
        open(settingPicker(at, sessionId), ({ path, value, locked }) =>
          at.say(locked === undefined ? at.pickerWords.changeSetting(tomlOf(path, value)) : `${path} 🔒 ${locked}`),
        ),
      ),
      branches: inSession((sessionId) =>
        open(branchPicker(at, sessionId), async ({ leafId }) => {
          const { text } = await client.request("branch", { sessionId, leafEventId: leafId });
          at.say([text, ...(await filesThatStay(at, sessionId, leafId))].join("\n"));
        }),
      ),
    },
    rewind,
    choose: () =>
      new Promise((resolve) => {
        const picker = sessionPicker(at, removedHere, { openFirst: true });
        const done = (sessionId: string | null) => {
          at.show(undefined);
          resolve(sessionId);
        };
        picker.onChoose = ({ sessionId }) => done(sessionId);
        picker.onCancel = () => done(null);
        at.show(picker);
      }),
  };
}

/** Rewinds the conversation, the files or both to before a message. Its text goes into the field, unless only files are rewound. */
async function goBack(
  at: PickerHost,
  field: Field,
  sessionId: string,
  { row }: RewindPoint,
  scope: RewindScope,
): Promise<void> {
  const { client } = at;
  const { parentId: targetEventId } = row;
  if (scope === "files") {
    // The start of the conversation is not an event; its files are those before the first event.
    const files = await client.request("restore_files", { sessionId, targetEventId: targetEventId ?? row.id });
    at.say(at.pickerWords.filesRestored(countOf(files)));
    return tellSkipped(at, files);
  }
  const { text, attachments } = await wholeOf(client, sessionId, row);
  const moved = await client.request("rewind", { sessionId, targetEventId, files: scope === "both" });
  field.setText(text, "message", false, attachments);
  const { filesRestored, redoHint, redoFilesHint } = at.pickerWords;
  if (!moved.files) at.say(`${sentence(moved.text)} ${redoHint}`);
  else {
    at.say(`${sentence(moved.text)} ${filesRestored(countOf(moved.files))} ${redoFilesHint}`);
    tellSkipped(at, moved.files);
  }
}

function countOf({ restored, leftOut = 0, skipped }: FilesRestored): number {
  return restored.length + (skipped.length === 0 ? leftOut : 0);
}

/** A note if the present files differ from those of a branch: switching the branch does not restore files. */
async function filesThatStay(at: PickerHost, sessionId: string, leafId: string): Promise<string[]> {
  const files = await filesOf(at.client, sessionId, leafId);
  if (!files || files.changes.length === 0) return [];
  return [at.pickerWords.filesStay(files.changes.length, `/rewind ${leafId.slice(0, 8)} --files`)];
}

function tellSkipped(at: PickerHost, { skipped, leftOut = 0 }: FilesRestored): void {
  if (skipped.length + leftOut === 0) return;
  const named = skipped.map(({ path, reason }) => `${path} (${reason})`);
  at.say(at.pickerWords.skipped([...named, ...(leftOut > 0 ? [`… (${leftOut})`] : [])].join(", ")));
}

/** The text with a full stop at its end, if it has no mark there. It may end with words of the conversation. */
function sentence(text: string): string {
  return /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}
