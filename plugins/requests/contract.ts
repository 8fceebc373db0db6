import type { Client } from "@scorel/host/contract";
import type { DisplayAction, EventId } from "@scorel/kernel";

/** The effect of an answer, so that a client can show and map the answer without knowing its letter. */
export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/** An answer that a question offers. */
export interface RequestOption {
  /** The answer as the user types it, such as `y`. */
  value: string;
  label: string;
  kind?: OptionKind;
  /** Whether the answer holds beyond this session. Only clients with all permissions can give it. */
  lasting?: boolean;
  /** An operation with the effect that the answer has beyond this question. Only clients that may call it can give the answer. */
  needs?: string;
  /** A message that the client sends after this answer; `true` to send the given reason, if any. */
  message?: string | true;
}
/** A question to a person. Its texts come from the host's state, but may contain terminal control characters. */
export interface Question {
  /** `select` takes the value of an option, `confirm` takes `y` or `n`, `input` takes any text. */
  kind: "select" | "confirm" | "input";
  title: string;
  /** The subject of the question, such as a command or a diff. */
  body?: DisplayAction[];
  /** The options of a `select`. */
  options?: RequestOption[];
  /** The default answer, which applies when there is no answer; a client may use it for an empty line. */
  fallback?: string;
  /** Data for the asking plugin and for programs, such as exact arguments. `form` is the id of a form, whose questions follow one another. */
  data?: unknown;
  /** The question of another session that this one passes on. */
  from?: ForwardedRequest;
}
/** The origin of a forwarded question. */
export interface ForwardedRequest {
  sessionId: string;
  requestId: string;
  /** The plugin that asks there. */
  plugin: string;
}
/** A question that waits for an answer. */
export interface OpenRequest extends Question {
  requestId: string;
  /** The plugin that asks. */
  plugin: string;
}
/** The outcome of a question. */
export interface RequestAnswer {
  /** `null` when there is no answer: no client answers questions, the question was withdrawn, or the host ended. */
  answer: string | null;
  /** The answerer's reason, or why there is no answer. */
  reason?: string;
  /** Set if there is no answer because a person has declined the question. */
  declined?: true;
}

/** Options of `RequestsService.ask`. */
export interface AskOptions {
  /**
   * Withdraws the question on abort. A layer of a hook passes its own signal; its time limit pauses until the question has ended. Without a
   * signal, the question belongs to all pending layers and tools of the plugin.
   */
  signal?: AbortSignal | undefined;
  /** Leaves the question open when the host stops, so that its answer can be recalled when the session is open again. */
  outlivesHost?: boolean | undefined;
}
/** Options of `RequestsService.forward`. */
export interface ForwardOptions {
  /** Ends the forwarding on abort, and withdraws forwarded questions. */
  signal?: AbortSignal | undefined;
  /** Text before each title that says who asks. */
  label?: string | undefined;
}
/** The status text of a plugin. */
export interface PluginStatus {
  plugin: string;
  text: string;
  /** Set if the plugin comes with Scorel. Its texts are shown without its id, which is not known to users. */
  shipped?: true;
}

/** The lines that a plugin keeps showing. */
export interface PluginPanel {
  plugin: string;
  lines: string[];
}

/** Questions to the people who watch a session. The first answer counts; if nobody can be asked, the default applies. */
export interface RequestsService {
  /** Whether a client answers questions of the session. */
  readonly attended: boolean;
  /**
   * Asks a question. Returns `null` immediately, without a log entry, when no client answers questions. Rejects when the signal
   * aborts.
   */
  ask(question: Question, options?: AskOptions): Promise<RequestAnswer>;
  /**
   * Returns the answer, given since the session was opened, to a question of an earlier process (see `outlivesHost`). Undefined unless it was
   * exactly the same question of the same plugin.
   */
  recall(requestId: string, question: Question): Promise<RequestAnswer | undefined>;
  /**
   * Asks the questions of another session in this session, and passes the answers back. The first answer counts: an answer in the other
   * session withdraws the question in this one. `client` attends to the other session's questions while a client attends to those of this
   * session. Returns a function that ends the forwarding. Rejects, and forwards nothing, if the signal aborts before that.
   */
  forward(client: Client, sessionId: string, options?: ForwardOptions): Promise<() => Promise<void>>;
  select(title: string, options: readonly RequestOption[], fallback: string, ask?: AskOptions): Promise<string>;
  confirm(title: string, fallback?: boolean, ask?: AskOptions): Promise<boolean>;
  input(title: string, fallback?: string, ask?: AskOptions): Promise<string>;
}

/** Options of a question. */
export interface Asking<V> {
  /** The result when there is no answer: no client answers questions, the user declined, or the plugin or session ended. */
  default?: V | undefined;
  /** The subject of the question, such as a command or a diff; always shown completely. */
  details?: string | readonly DisplayAction[] | undefined;
  /**
   * Withdraws the question on abort, and rejects with the signal's reason. Without a signal, a question of a hook layer or tool belongs
   * to all pending layers and tools of the plugin.
   */
  signal?: AbortSignal | undefined;
}
/** An answer of a `select`: a string, or a value with a different label. */
export type Choice<V extends string> = V | ({ value: V } & Pick<RequestOption, "label" | "kind" | "lasting" | "needs">);
export type NoticeLevel = "info" | "warning" | "error";

/** How a plugin asks and informs the people who watch its session, in any client. The model sees nothing of it. */
export interface Ui {
  /** Whether a client answers questions of the session. If none does, each question returns its default immediately. */
  readonly attended: boolean;
  /** Asks for one of several answers. */
  select<V extends string>(
    title: string,
    choices: readonly Choice<V>[],
    asking: Asking<V> & { default: V },
  ): Promise<V>;
  select<V extends string>(title: string, choices: readonly Choice<V>[], asking?: Asking<V>): Promise<V | undefined>;
  /** Asks a yes-or-no question. The default is no. */
  confirm(title: string, asking?: Asking<boolean>): Promise<boolean>;
  /** Asks for a line of text. */
  input(title: string, asking: Asking<string> & { default: string }): Promise<string>;
  input(title: string, asking?: Asking<string>): Promise<string | undefined>;
  /** Shows a line once in every client. Default level: `info`. */
  notify(text: string, level?: NoticeLevel): void;
  /** Sets a short status text, which clients keep showing; each plugin has one. Without `text`, removes it. */
  status(text?: string): void;
  /**
   * Sets up to six lines that clients with a screen keep showing above the field, under the plugin's name; each plugin has one panel.
   * Without lines, removes it.
   */
  panel(lines?: readonly string[]): void;
}

declare module "@scorel/kernel" {
  interface Services {
    requests: RequestsService;
    /** `ctx.ui` of plugins. Each plugin has its own object, which asks under the plugin's name. */
    ui: Ui;
  }
  interface Events {
    /** A question to a person, which an `approval_answer` with the same id ends. */
    approval_request: OpenRequest;
    /** The answer to a question; `answer` is null when there will be none. */
    approval_answer: { requestId: string; answer: string | null; reason?: string };
  }
  interface Transients {
    /** No client answers questions, so the default applied; `answer` is null without a default. */
    request_defaulted: { plugin: string; kind: Question["kind"]; title: string; answer: string | null };
    /** A one-time message of a plugin to the people who watch. */
    notification: { plugin: string; level: NoticeLevel; text: string };
    /** A plugin's new status text; without `text`, the status is cleared. */
    plugin_status: { plugin: string; text?: string; shipped?: true };
    /** A plugin's new panel; without `lines`, it is removed. */
    plugin_panel: { plugin: string; lines?: string[] };
  }
  interface Projections {
    /** Unanswered questions by id, in the order in which they were asked. */
    openRequests: Readonly<Record<string, OpenRequest>>;
  }
}

declare module "@scorel/host/contract" {
  interface RequestsNow {
    requests: OpenRequest[];
    statuses: PluginStatus[];
    panels: PluginPanel[];
  }
  interface Operations {
    /**
     * Registers this client as one that answers questions of the session, or removes it, and returns the open questions. The client is
     * removed automatically when it leaves the session or disconnects.
     */
    attend_requests: {
      params: { sessionId: string; attending?: boolean | undefined };
      result: RequestsNow;
    };
    /**
     * Answers a question; `null` declines, so that its default applies. Only the first answer counts: later ones throw
     * REQUEST_CLOSED, except that a repeated `messageId` returns its first outcome. Throws REQUEST_ANSWER for an answer that is
     * not offered.
     */
    answer_request: {
      params: {
        sessionId: string;
        requestId: string;
        answer: string | null;
        reason?: string | undefined;
        messageId?: string | undefined;
      };
      result: { eventId: EventId; message?: string };
    };
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /**
     * Whether the client will call `attend_requests`. Questions asked before then wait for it. Also applies to all sessions that this client
     * opens later.
     */
    attending?: boolean | undefined;
  }
}
