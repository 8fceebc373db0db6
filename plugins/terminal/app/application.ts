import type { Invocation } from "@scorel/cli/contract";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import type { Settings } from "../config.ts";
import type { Keys } from "../keys.ts";
import type { Component, Field, Surroundings } from "../parts.ts";
import { Canvas } from "../screen/canvas.ts";
import { Device } from "../screen/device.ts";
import { callFor } from "../screen/notification.ts";
import { graphicsOf, Pictures } from "../screen/pictures.ts";
import type { Theme } from "../theme/theme.ts";
import { type PickerWords, pickersEn, pickersZh } from "../words/pickers.ts";
import type { Words } from "../words/words.ts";
import type { Actions } from "./actions.ts";
import { Activity } from "./activity.ts";
import type { Contributed } from "./contributed.ts";
import { Conversation } from "./conversation.ts";
import { EarlyEntries } from "./early-entries.ts";
import { FirstField } from "./first-field.ts";
import { Frames } from "./frames.ts";
import { KeyRoute } from "./key-route.ts";
import { Looks } from "./looks.ts";
import { type Note, pictureOf } from "./picture.ts";
import type { Answer } from "./question.ts";
import { Questions } from "./questions.ts";
import { QueueKeys } from "./queue-keys.ts";
import { Reader } from "./reader.ts";
import { SessionListener } from "./session-listener.ts";
import { ShownSession } from "./shown-session.ts";
import { enter, submit } from "./submit.ts";
import { Transcript } from "./transcript.ts";

type Level = Note["level"];

export interface ApplicationParts {
  client: Client;
  invocation: Invocation;
  settings: Settings;
  words: Words;
  keys: Keys;
  version: string;
  /** Whether the user may send messages and answer questions. Default: both. */
  rights?: Rights | undefined;
}

/** A conversation on the whole screen: connects the drawing, the input field and the session. */
export class Application implements Surroundings {
  readonly client: Client;
  readonly cwd: string;
  readonly env: Invocation["env"];
  readonly keys: Keys;
  readonly words: Words;
  readonly pickerWords: PickerWords;
  readonly looks: Looks;
  readonly session: ShownSession;
  readonly conversation: Conversation;
  readonly device: Device;
  readonly transcript = new Transcript();
  readonly early = new EarlyEntries();
  readonly questions: Questions;
  readonly queueKeys: QueueKeys;
  /** Keys and pickers contributed by plugins, once they are loaded. */
  contributed: Pick<Contributed, "load" | "press" | "open" | "has"> | undefined;
  readonly reader: Reader;
  readonly canvas: Canvas;
  /** Actions of the keys that the field leaves unused. */
  actions: Actions = {};
  field: Field | undefined;
  hidesTodos = false;
  private readonly version: string;
  private readonly frames = new Frames(() => this.draw());
  readonly activity: Activity;
  /** Shown instead of everything else while it is set; it gets all keys. */
  overlay: Component | undefined;
  private readonly route = new KeyRoute(this);
  private readonly listener = new SessionListener(this);
  private note: Note | undefined;
  private finish: () => void = () => {};
  /** Called when another session is shown. */
  onEntered: () => void = () => {};
  /** Called when the application ends and no session was shown. */
  onUnopened: () => void = () => {};
  /** Resolves when the user leaves. */
  readonly ended = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor({ client, invocation, settings, words, keys, version, rights }: ApplicationParts) {
    const { cwd, env } = invocation;
    this.client = client;
    this.cwd = cwd;
    this.env = env;
    this.words = words;
    this.pickerWords = words.language === "zh" ? pickersZh : pickersEn;
    this.keys = keys;
    this.version = version;
    const redraw = () => this.redraw();
    const attempt = (work: () => Promise<unknown>) => this.attempt(work);
    const graphics = graphicsOf(settings.images, env);
    const pictures = graphics && new Pictures(graphics);
    this.canvas = new Canvas(pictures);
    this.looks = new Looks({ settings, env, words, keys, pictures, changed: redraw });
    this.session = new ShownSession(client, this.listener, words, rights);
    this.conversation = new Conversation(client, this.session, this.listener, words);
    this.questions = new Questions({
      words,
      give: (requestId, answer, kept) => this.answer(requestId, answer, kept),
      field: () => this.field,
    });
    this.queueKeys = new QueueKeys({
      ...{ keys, words, attempt, session: this.session, conversation: this.conversation },
      field: () => this.field,
      tell: (text) => this.tell(text),
    });
    this.activity = new Activity({
      passed: redraw,
      calls: (what) =>
        this.device.write(callFor(what === "asks" ? words.callAsks : words.callEnded, settings.notify, env)),
    });
    this.device = new Device(invocation, this.deviceEvents(), { mouse: settings.mouse });
    const { transcript, looks, session, device } = this;
    this.reader = new Reader({ transcript, looks, session, rows: () => device.rows, attempt, redraw });
  }

  get sessionId(): string | undefined {
    return this.session.sessionId;
  }
  get status(): SessionStatus | undefined {
    return this.session.view?.status.host;
  }
  get queue() {
    return this.session.view?.queue ?? [];
  }
  get rows(): number {
    return this.device.rows;
  }
  get theme(): Theme {
    return this.looks.theme;
  }

  /** Opens a stored session, read-only if the user may not write. */
  load(sessionId: string): Promise<SessionStatus> {
    return this.session.open(sessionId);
  }

  /** Shows another session. */
  enter(status: SessionStatus): Promise<void> {
    return this.session.enter(status);
  }

  /** Creates a session in the directory of the shown one, and shows it. */
  begin(): Promise<void> {
    return this.session.begin();
  }

  /** Runs and sends what was entered before the session was open. */
  release(): void {
    if (this.note?.text === this.words.heldUntilOpen) this.note = undefined;
    this.early.release((submission, running) => enter(this, submission, running));
    this.redraw();
  }

  /** Adds a note to the conversation, where it stays. */
  say(text: string): void {
    this.listener.told(text, "info");
  }

  /** Takes over the terminal and draws the first frame. */
  open(): void {
    this.device.open();
    this.canvas.resize(this.device.columns, this.device.rows);
    this.frames.now();
  }

  close(): void {
    this.activity.end();
    this.frames.end();
    this.device.close();
  }

  leave(): void {
    this.finish();
  }

  /** Replaces the placeholder with the real field, which then gets the keys that were pressed before. */
  takeField(field: Field): void {
    this.field = field;
    field.onSubmit = (submission) => submit(this, submission, "follow_up");
    field.onSteer = (submission) => submit(this, submission, "steer");
    field.isAnswer = () => this.questions.takesText;
    field.onHelp = () => this.actions.help?.();
    field.onUnused = (data) => this.route.unused(data);
    this.route.pressEarly();
    this.redraw();
  }

  /** Shows a component instead of everything else. */
  show(overlay: Component | undefined): void {
    this.overlay = overlay;
    this.redraw();
  }

  redraw(): void {
    this.frames.request();
  }

  tell(text: string, level: Level = "info"): void {
    this.note = { text, level };
    this.redraw();
  }

  copy(text: string): void {
    this.device.copy(text);
  }

  suspended<R>(work: () => Promise<R>): Promise<R> {
    return this.device.lend(work);
  }

  /** Runs work and shows its error if it fails. */
  attempt(work: () => Promise<unknown>): void {
    work().catch((thrown) => this.listener.told(messageOf(thrown), "error"));
  }

  /** Sends an answer. `kept` is shown once the host has accepted it: what a lasting answer allows from now on. */
  private async answer(requestId: string, answer: Answer, kept: string | undefined): Promise<void> {
    try {
      const isTaken = await this.conversation.answer(requestId, answer);
      if (isTaken && kept !== undefined) this.tell(kept);
    } catch (thrown) {
      this.listener.told(messageOf(thrown), "error");
    }
  }

  private deviceEvents() {
    return {
      key: (data: string, isAlone: boolean) => this.key(data, isAlone),
      wheel: (lines: number) => {
        const { overlay } = this;
        if (!overlay) return this.reader.scroll(lines);
        overlay.scroll?.(lines);
        this.redraw();
      },
      click: ({ row }: { row: number }) => {
        if (!this.overlay) this.transcript.toggle(row);
        this.redraw();
      },
      changed: () => {
        this.canvas.resize(this.device.columns, this.device.rows);
        this.redraw();
      },
      background: (color: Parameters<Looks["suit"]>[0]) => {
        this.looks.suit(color);
        this.field?.invalidate();
      },
      complained: (text: string) => this.listener.complained(text),
      ended: () => this.leave(),
    };
  }

  private key(data: string, isAlone: boolean): void {
    this.note = undefined;
    this.frames.requestForKey();
    this.route.press(data, isAlone);
  }

  /** Adds lines at the end of the conversation that are not part of the log. */
  add(draw: Parameters<Transcript["add"]>[0]): () => void {
    const remove = this.transcript.add(draw);
    this.redraw();
    return remove;
  }

  private draw(): void {
    const { device, keys, transcript, questions, queueKeys, note, overlay, version, cwd, listener, hidesTodos } = this;
    const { isGoingBack } = this.reader;
    if (!device.isReady) return;
    const { columns, rows } = device;
    const { look, theme } = this.looks;
    const { view, rights } = this.session;
    const { unsent, isCommanding } = this.conversation;
    const field = this.field ?? new FirstField(theme);
    const todos = hidesTodos ? undefined : listener.todos;
    const shown = { transcript, questions, queueKeys, todos, hidesPanels: hidesTodos, note, field, overlay };
    const { since } = this.activity;
    const scene = {
      ...shown,
      unsent: unsent.shown,
      isCommanding,
      rights,
      columns,
      rows,
      version,
      cwd,
      view,
      look,
      keys,
      since,
      isGoingBack,
    };
    device.write(this.canvas.paint(pictureOf(scene)));
    const { waits } = this.canvas;
    if (waits > 0) this.frames.requestIn(waits);
  }
}
