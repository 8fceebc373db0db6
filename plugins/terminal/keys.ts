/**
 * The actions that keys are bound to, with their default keys, in the order in which the help lists them. Actions of one group are active
 * at the same time, so that a key belongs to only one of them; for those in `shared`, the state of the screen decides which one applies.
 */
export const keyGroups = {
  writing: {
    send: ["enter"],
    newline: ["shift+enter", "alt+enter", "ctrl+j"],
    steer: ["ctrl+enter", "alt+s"],
    complete: ["tab"],
    history: ["ctrl+r"],
    editor: ["ctrl+g"],
    openPaste: ["alt+v"],
    pasteImage: ["ctrl+v"],
  },
  reading: {
    pageUp: ["pageUp"],
    pageDown: ["pageDown"],
    top: ["ctrl+home"],
    bottom: ["ctrl+end"],
    expand: ["ctrl+o"],
    thinking: ["ctrl+t"],
    todos: ["alt+t"],
  },
  choosing: {
    mode: ["shift+tab"],
    models: ["alt+p"],
    sessions: ["alt+r"],
    branches: ["alt+h"],
    presets: ["alt+n"],
    skills: ["alt+k"],
    settings: ["alt+,"],
    queue: ["alt+q"],
  },
  going: {
    interrupt: ["escape"],
    clear: ["ctrl+c"],
    leave: ["ctrl+d"],
    suspend: ["ctrl+z"],
    redraw: ["ctrl+l"],
    help: ["f1"],
  },
  lists: {
    up: ["up", "ctrl+p"],
    down: ["down", "ctrl+n"],
    first: ["home"],
    last: ["end"],
    choose: ["enter"],
    cancel: ["escape", "ctrl+c"],
    scope: ["tab"],
    rename: ["ctrl+r", "f2"],
    archive: ["ctrl+a", "alt+a"],
    remove: ["ctrl+d", "delete"],
    restore: ["ctrl+z"],
    moveUp: ["shift+up", "alt+up"],
    moveDown: ["shift+down", "alt+down"],
  },
  editing: {
    lineUp: ["up"],
    lineDown: ["down"],
    charLeft: ["left", "ctrl+b"],
    charRight: ["right", "ctrl+f"],
    wordLeft: ["alt+left", "ctrl+left", "alt+b"],
    wordRight: ["alt+right", "ctrl+right", "alt+f"],
    lineStart: ["home", "ctrl+a"],
    lineEnd: ["end", "ctrl+e"],
    deleteBackward: ["backspace", "shift+backspace"],
    deleteForward: ["delete", "ctrl+d"],
    deleteWordBackward: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
    deleteWordForward: ["alt+d", "alt+delete", "ctrl+delete"],
    deleteToStart: ["ctrl+u"],
    deleteToEnd: ["ctrl+k"],
    yank: ["ctrl+y"],
    yankOlder: ["alt+y"],
    undo: ["ctrl+-", "ctrl+/"],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

export type KeyGroup = keyof typeof keyGroups;
type ActionsOf<G extends KeyGroup> = G extends KeyGroup ? keyof (typeof keyGroups)[G] : never;
export type KeyAction = ActionsOf<KeyGroup>;

/** All actions with their default keys. */
export const defaultKeys = Object.assign({}, ...Object.values(keyGroups)) as Record<KeyAction, readonly string[]>;

/** The key bindings: the defaults, changed by the user's settings. */
export interface Keys {
  /** Whether a key, as the terminal sent it, is bound to an action. */
  is(data: string, action: KeyAction): boolean;
  /** The label of an action's first key, such as `Ctrl-R`; "" when it has none. */
  label(action: KeyAction): string;
  /**
   * The names of the keys that run a slash command: those that the user has set for it, else those of `wanted` that are valid names, type no
   * character, and are bound to nothing else.
   */
  ofCommand(name: string, wanted: readonly string[]): readonly string[];
  /** Whether a key, as the terminal sent it, has this name. */
  names(data: string, key: string): boolean;
  /** The labels of all keys of an action. */
  labels(action: KeyAction): readonly string[];
}
