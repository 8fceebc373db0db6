import { copiedPart, offeredTo, type Row, type SessionView, type ViewChange } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import { enteredIn, joined } from "../input/line-mode.ts";
import type { Field } from "../parts.ts";
import { displayLines } from "../rows/display.ts";
import { outputLines } from "../rows/output.ts";
import { safeLine } from "../rows/safe.ts";
import type { Words } from "../words/words.ts";
import type { Activity } from "./activity.ts";
import type { Contributed } from "./contributed.ts";
import type { Conversation } from "./conversation.ts";
import type { Listener } from "./listener.ts";
import type { Questions } from "./questions.ts";
import type { QueueKeys } from "./queue-keys.ts";
import type { ShownSession } from "./shown-session.ts";
import { openList } from "./todos.ts";
import type { Transcript } from "./transcript.ts";

/** The parts of the application that show the session. */
interface Shown {
  readonly session: ShownSession;
  readonly conversation: Pick<Conversation, "unsent">;
  readonly transcript: Transcript;
  readonly questions: Questions;
  readonly queueKeys: QueueKeys;
  readonly activity: Activity;
  readonly contributed: Pick<Contributed, "load"> | undefined;
  readonly field:
    | Pick<Field, "text" | "mode" | "silent" | "attachments" | "setText" | "leaveHistory" | "keepDraft">
    | undefined;
  readonly words: Words;
  onEntered(): void;
  add: Transcript["add"];
  copy(text: string): void;
  tell(text: string): void;
  attempt(work: () => Promise<unknown>): void;
  redraw(): void;
  leave(): void;
}

type EndOfQuestion = Parameters<Questions["ended"]>[0];

/** Brings what happens in the session to the parts of the screen that show it. */
export class SessionListener implements Listener {
  /** The todo list that is shown. */
  todos: ReturnType<typeof openList>;
  private readonly to: Shown;
  /** Why the session cannot be saved. The next error with this text is not shown, since the reason is on the screen already. */
  private unsaved: string | undefined;
  /** Ids of the questions that were already shown to a user who may not answer. */
  private readonly waiting = new Set<string>();

  constructor(to: Shown) {
    this.to = to;
  }

  entered(view: SessionView): void {
    const { to } = this;
    to.transcript.follow(view, to.session.people);
    to.queueKeys.entered();
    this.todos = openList(view);
    this.ask(view);
    to.activity.entered(view);
    to.onEntered();
    this.loadContributed();
    to.redraw();
    to.conversation.unsent.connectionChanged();
  }

  changed(change: ViewChange): void {
    const { session, transcript, queueKeys, activity, conversation } = this.to;
    const { view } = session;
    if (!view) return;
    const { kind } = change;
    if (kind === "reset") transcript.rebuild();
    if (kind === "rows") transcript.changed(change.index, change.isNew);
    if (kind === "rows" && change.isNew) this.stored(view.rows[change.index]);
    if (kind === "rows" || kind === "reset") this.todos = openList(view, this.todos, change);
    if (kind === "live" || kind === "requests" || kind === "reset") transcript.liveChanged();
    if (kind === "queue" || kind === "reset") queueKeys.update();
    if (kind === "requests" || kind === "reset") this.ask(view);
    if (kind !== "text" && kind !== "rows") activity.update(view, change);
    this.to.redraw();
    if (kind === "status" || kind === "reset") conversation.unsent.connectionChanged();
  }

  told(text: string, level: Parameters<Listener["told"]>[1], isOfTurn = false): () => void {
    if (level === "error" && this.isSaid(text)) return () => {};
    return this.note(
      (width, look) =>
        level === "plain" ? outputLines(text, width) : displayLines({ display: "notice", level, text }, width, look),
      isOfTurn,
    );
  }

  private note(draw: Parameters<Transcript["add"]>[0], isOfTurn: boolean): () => void {
    const remove = isOfTurn ? this.to.transcript.addAbout(draw) : this.to.add(draw);
    this.to.redraw();
    return () => {
      remove();
      this.to.redraw();
    };
  }

  /** Shows the open questions. A user who may not answer is only told of each one, once. */
  private ask({ requests }: SessionView): void {
    const { session, questions, words } = this.to;
    if (session.rights.answer) {
      questions.update(requests.map((request) => offeredTo(request, session.rights)));
      return;
    }
    for (const { requestId, title } of requests) {
      if (this.waiting.has(requestId)) continue;
      this.waiting.add(requestId);
      this.told(words.waitsForSomebody(safeLine(title)), "info");
    }
  }

  private stored(row: Row | undefined): void {
    this.tellMode(row);
    if (row?.type === "approval_answer") this.to.questions.ended(row.event as unknown as EndOfQuestion);
  }

  /** Tells the user when another client has changed the permission mode. */
  private tellMode(row: Row | undefined): void {
    if (row?.type !== "permission_mode" || this.to.session.people.isOwn(row.clientId)) return;
    const { display } = row;
    this.to.add((width, look) => displayLines(display, width, look));
  }

  /** Shows text that this process has written to stderr. */
  complained(text: string): void {
    const said = text.trim().replace(/^scorel: /gm, "");
    if (said === "") return;
    this.to.transcript.addLasting((width, look) =>
      displayLines({ display: "notice", level: "info", text: said }, width, look),
    );
    this.to.redraw();
  }

  passed({ display, event }: Delivered): void {
    if (event.type === "session_start") this.loadContributed();
    if (event.type === "storage_status") this.unsaved = (event as { error?: string }).error;
    const isSaid = event.type === "turn_error" && this.isSaid(textOf(display));
    const isOfTurn = event.type === "turn_error";
    if (display.display !== "hidden" && !isSaid)
      this.note((width, look) => displayLines(display, width, look), isOfTurn);
    if (isOfTurn) this.told(this.to.words.retryHint, "info", true);
  }

  /** Whether an error repeats the reason why the session cannot be saved. True only once for each reason. */
  private isSaid(text: string): boolean {
    const isSaid = text !== "" && text === this.unsaved;
    if (isSaid) this.unsaved = undefined;
    return isSaid;
  }

  offered(given: Parameters<Listener["offered"]>[0]): void {
    const { field } = this.to;
    field?.leaveHistory();
    const before = enteredIn(field);
    const { text, mode, silent, attachments } =
      before.text.trim() === "" ? enteredIn(given) : joined([given, before], "\n");
    field?.setText(text, mode, silent, attachments);
    this.to.redraw();
  }

  unsent(): void {
    this.to.field?.keepDraft();
  }

  waits(): void {
    this.to.redraw();
  }

  copied(text: string): void {
    this.to.copy(text);
    const [characters, line] = copiedPart(text);
    this.to.tell(this.to.words.copied(characters, safeLine(line)));
  }

  left(): void {
    this.to.leave();
  }

  /** Loads keys and lists of plugins again, since they may differ in another session and after a reload. */
  private loadContributed(): void {
    const { contributed } = this.to;
    if (contributed) this.to.attempt(() => contributed.load());
  }
}

function textOf(display: Delivered["display"]): string {
  return display.display === "notice" ? display.text : "";
}
