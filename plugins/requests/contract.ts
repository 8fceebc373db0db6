import type { DisplayAction, EventId } from "@scorel/kernel";

/** One of the answers that a question offers. */
export interface RequestOption {
  /** What is answered, as a person types it: `y`. */
  value: string;
  label: string;
  /** What the client that chose it sends next as a message of its user; `true` for the reason it gave, if it did. */
  message?: string | true;
}
/** What a person is asked. Every word in it comes from the host's state, none is trusted to be harmless to a terminal. */
export interface Question {
  /** `select` is answered with the value of an option, `confirm` with `y` or `n`, `input` with any text. */
  kind: "select" | "confirm" | "input";
  title: string;
  /** What it is about: a command, a diff. */
  body?: DisplayAction[];
  /** Of a `select`. */
  options?: RequestOption[];
  /** The answer that holds when nobody gives one; a face may take an empty line for it. */
  fallback?: string;
  /** For the plugin that asks and for programs: exact arguments, say. */
  data?: unknown;
}
/** A question that waits for its answer. */
export interface OpenRequest extends Question {
  requestId: string;
  /** The plugin that asks. */
  plugin: string;
}
export interface RequestAnswer {
  /** `null` when nobody answered: no client could, the wait was cancelled, or the host ended. */
  answer: string | null;
  /** In the words of who answered, or why nobody did. */
  reason?: string;
}

export interface AskOptions {
  /**
   * Takes the question back when it aborts; a hook layer gives its own, whose clock stops meanwhile. Without one the question
   * belongs to every layer and tool of the plugin that is waited for.
   */
  signal?: AbortSignal | undefined;
}
/** What a plugin has standing to say. */
export interface PluginStatus {
  plugin: string;
  text: string;
}

/** Questions to the people who watch a session. The first answer counts; without anyone to ask, the default does. */
export interface RequestsService {
  /** Whether a client is there that answers. */
  readonly attended: boolean;
  /** Answers `null` at once, and writes nothing, when no client answers; rejects when the signal aborts. */
  ask(question: Question, options?: AskOptions): Promise<RequestAnswer>;
  select(title: string, options: readonly RequestOption[], fallback: string, ask?: AskOptions): Promise<string>;
  confirm(title: string, fallback?: boolean, ask?: AskOptions): Promise<boolean>;
  input(title: string, fallback?: string, ask?: AskOptions): Promise<string>;
}

/** What a question may say beside its title. */
export interface Asking<V> {
  /** Holds when nobody answers: no client could, the person left the question, or its plugin or session ended. */
  default?: V | undefined;
  /** What it is about, such as a command or a diff; shown whole. */
  details?: string | readonly DisplayAction[] | undefined;
  /**
   * Takes the question back when it aborts, and rejects with its reason. Without one a question of a hook's layer or of a
   * tool belongs to all that is waited for of its plugin.
   */
  signal?: AbortSignal | undefined;
}
/** One of the answers of a `select`: a text that is its own label, or a value with another one. */
export type Choice<V extends string> = V | { value: V; label: string };
export type NoticeLevel = "info" | "warning" | "error";

/** How a plugin speaks with the people who watch its session, whichever client they use. Nothing in it reaches the model. */
export interface Ui {
  /** Whether a client is there that answers; without one each question has its default at once. */
  readonly attended: boolean;
  /** One of several answers. */
  select<V extends string>(
    title: string,
    choices: readonly Choice<V>[],
    asking: Asking<V> & { default: V },
  ): Promise<V>;
  select<V extends string>(title: string, choices: readonly Choice<V>[], asking?: Asking<V>): Promise<V | undefined>;
  /** Yes or no; the default is no. */
  confirm(title: string, asking?: Asking<boolean>): Promise<boolean>;
  /** A line of text. */
  input(title: string, asking: Asking<string> & { default: string }): Promise<string>;
  input(title: string, asking?: Asking<string>): Promise<string | undefined>;
  /** A line that every face shows once. Default level: `info`. */
  notify(text: string, level?: NoticeLevel): void;
  /** A few words that faces keep showing, one text for each plugin; none takes it away. */
  status(text?: string): void;
}

declare module "@scorel/kernel" {
  interface Services {
    requests: RequestsService;
    /** What plugins have as `ctx.ui`, each in its own name. */
    ui: Ui;
  }
  interface Events {
    /** A person is asked; `approval_answer` with the same id ends it. */
    approval_request: OpenRequest;
    /** The one answer to a request; `answer` is null when there is none and will be none. */
    approval_answer: { requestId: string; answer: string | null; reason?: string };
  }
  interface Transients {
    /** Nobody could be asked, so that the default held; `answer` is null when there was none. */
    request_defaulted: { plugin: string; kind: Question["kind"]; title: string; answer: string | null };
    /** A plugin tells the people who watch something, once. */
    notification: { plugin: string; level: NoticeLevel; text: string };
    /** What a plugin has standing to say from now on; nothing any more without `text`. */
    plugin_status: { plugin: string; text?: string };
  }
  interface Projections {
    /** The questions without an answer, by their ids, in the order in which they were asked. */
    openRequests: Readonly<Record<string, OpenRequest>>;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * This client answers questions of the session from now on, or no longer; answers those that are open. It ends by itself
     * when the client gives the session up or closes.
     */
    attend_requests: {
      params: { sessionId: string; attending?: boolean | undefined };
      result: { requests: OpenRequest[]; statuses: PluginStatus[] };
    };
    /** The questions that wait, and what plugins have standing to say. */
    list_requests: { params: { sessionId: string }; result: { requests: OpenRequest[]; statuses: PluginStatus[] } };
    /**
     * Answers a question, or leaves it with `null`: then its default holds. The first answer counts: any other throws REQUEST_CLOSED, but a repeated `messageId` gets the
     * outcome of its first. Throws REQUEST_ANSWER when the question does not offer it.
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
