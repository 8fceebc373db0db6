/** The state of an MCP server in a session. */
export type ServerState = "disabled" | "off" | "starting" | "up" | "restarting" | "failed";

/** An MCP server of a session, for `/mcp` and for clients. */
export interface McpServerRow {
  name: string;
  state: ServerState;
  /** The file that defines it, or `the client`. */
  place: string;
  /** Its program, or its URL, without secrets. */
  target: string;
  /** Names of the environment variables that its program gets, or of the headers that requests to its URL get. Their values are secret. */
  env?: string[];
  headers?: string[];
  /** Its own name and version, once it has reported them. */
  version?: string;
  /** Names of its tools as the model sees them. */
  tools: string[];
  /** Names of the commands that are made from its prompts. */
  prompts?: string[];
  /** Whether it has resources, which messages can mention as `@server:uri`. */
  hasResources?: true;
  /** Names of its tools that the model does not see until it finds them with `ToolSearch`. */
  deferred?: string[];
  /** Only before the session has decided about that: under which condition its tools would be deferred, for people. */
  toolSearch?: string;
  /**
   * Whether a login is stored, for a server with a URL and without a key. `unknown`: its URL is invalid, or the file of logins cannot be
   * read.
   */
  login?: "kept" | "none" | "unknown";
  /** The kinds of requests that the server has made since the session was opened. */
  asked?: McpAsk[];
  /** Why it is not running. */
  problem?: string;
}

/** What a server may ask for: the project's folder, answers of a person, opening a URL, or an answer of the model. */
export type McpAsk = "folder" | "answers" | "address" | "model";

/** A tool that has been added or changed, and is accepted from now on. */
export interface McpAccepted {
  /** The name that the server gives the tool. */
  tool: string;
  /** The old and the new description of the tool, for people. */
  words: string;
}

/** The tools, prompts and resources of a server, each with the beginning of its description. */
export interface McpOffers {
  /** `name` is the name that the model sees. */
  tools: { name: string; about: string }[];
  /** `name` is the name of the command. */
  prompts: { name: string; about: string }[];
  resources: { uri: string; about: string }[];
}

/** The part of a login in which a person takes part. */
export interface LoginDialog {
  /**
   * Shows the URL to open in a browser. If the browser runs on another computer, `paste` takes the URL on which it ended. It returns what
   * is wrong with that URL, or undefined.
   */
  show(address: string, paste: (address: string) => string | undefined): void;
  /** Asks whether the host `tokens` may get the login that is entered at the host `page`. */
  confirm(page: string, tokens: string): Promise<boolean>;
  /** Cancels the login. */
  signal: AbortSignal;
}

/** The service `mcp`: the MCP servers of a session. */
export interface McpService {
  /** All configured servers, in the order of the configuration. */
  servers(): McpServerRow[];
  /** The server with this name. Throws MCP_UNKNOWN. */
  named(name: string): McpServerRow;
  /** The tools, prompts and resources of a server, as far as they are known. Throws MCP_UNKNOWN. */
  offers(name: string): McpOffers;
  /** Starts or restarts a server, and resolves when it is running. Throws MCP_UNKNOWN, MCP_START. */
  restart(name: string): Promise<McpServerRow>;
  /**
   * Lets a person log in at a server with a URL, in their browser, and stores the tokens. Throws MCP_UNKNOWN, MCP_LOGIN_NONE,
   * MCP_LOGIN_FAILED.
   */
  login(name: string, dialog: LoginDialog): Promise<void>;
  /** Deletes the login at a server. Resolves with false if there was none. Throws MCP_UNKNOWN, MCP_LOGIN_NONE, MCP_LOGINS. */
  logout(name: string): Promise<boolean>;
  /** Accepts all tools of a server as they are described now. Returns those that were not accepted before. Throws MCP_UNKNOWN. */
  accept(name: string): McpAccepted[];
}

declare module "@scorel/kernel" {
  interface Services {
    mcp: McpService;
  }
  interface Projections {
    /** Tools of MCP servers that the model has found with ToolSearch, in the order in which they were found. */
    foundTools: readonly string[];
  }
}
declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /**
     * MCP servers that a client adds to the session, such as those of an editor. Each is a table as in `[[mcp.servers]]`, in JSON. Values
     * are taken literally: `${NAME}` is not replaced. The servers are not stored.
     */
    mcpServers?: readonly string[] | undefined;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists the MCP servers of a session, with their tools. */
    list_mcp_servers: { params: { sessionId: string }; result: { servers: McpServerRow[] } };
    /** Restarts an MCP server. Throws MCP_UNKNOWN, MCP_DISABLED, MCP_START. */
    restart_mcp_server: { params: { sessionId: string; name: string }; result: McpServerRow };
  }
}
