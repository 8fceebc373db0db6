/** What an MCP server is doing. */
export type ServerState = "disabled" | "off" | "starting" | "up" | "restarting" | "failed";

/** A server of a session, as `/mcp` and clients see it. */
export interface McpServerRow {
  name: string;
  state: ServerState;
  /** The file that names it. */
  place: string;
  /** Its program, or its address, without secrets. */
  target: string;
  /** The names of the variables that its program gets, and of the headers that its address gets. Values are not told. */
  env?: string[];
  headers?: string[];
  /** Its own name and version, once it has told them. */
  version?: string;
  /** The names under which the model is offered its tools. */
  tools: string[];
  /** The commands that its prompts are. */
  prompts?: string[];
  /** It has resources, which messages can name as `@server:uri`. */
  hasResources?: true;
  /** Those of its tools that the model is not offered, and has to find with `ToolSearch`. */
  deferred?: string[];
  /** Before that is decided: when its tools would be deferred, in words. */
  toolSearch?: string;
  /** Of a server with an address and without a key: whether a login is kept. `unknown`: what its address or the file says is wrong. */
  login?: "kept" | "none" | "unknown";
  /** What it has asked for since the session began. */
  asked?: McpAsk[];
  /** Why it is not up. */
  problem?: string;
}

/** What a server may ask for: the project's folder, answers of a person, that a person opens an address, answers of the model. */
export type McpAsk = "folder" | "answers" | "address" | "model";

/** A tool that was added or changed, and is accepted now. */
export interface McpAccepted {
  /** The server's name for it. */
  tool: string;
  /** What it said of itself before and says now, for people. */
  words: string;
}

/** What a server offers, with the first lines of what it says about each. */
export interface McpOffers {
  /** By the names that the model sees. */
  tools: { name: string; about: string }[];
  /** By the names of commands. */
  prompts: { name: string; about: string }[];
  resources: { uri: string; about: string }[];
}

/** How a login reaches the person. */
export interface LoginDialog {
  /**
   * Shows the address to open in a browser. `paste` takes the address that a browser on another computer ended at, and answers what is
   * wrong with it.
   */
  show(address: string, paste: (address: string) => string | undefined): void;
  /** Asks whether the host `tokens` may have the login of the host `page`. */
  confirm(page: string, tokens: string): Promise<boolean>;
  /** Stops the login. */
  signal: AbortSignal;
}

/** The service `mcp`: the MCP servers of a session. */
export interface McpService {
  /** All servers of the configuration, in its order. */
  servers(): McpServerRow[];
  /** The server of this name. Throws MCP_UNKNOWN. */
  named(name: string): McpServerRow;
  /** What a server offers, as far as that is known. Throws MCP_UNKNOWN. */
  offers(name: string): McpOffers;
  /** Starts a server, or starts it anew, and resolves when it is up. Throws MCP_UNKNOWN and MCP_START. */
  restart(name: string): Promise<McpServerRow>;
  /**
   * Logs a person in at a server with an address, in their browser, and keeps the tokens. Throws MCP_UNKNOWN, MCP_LOGIN_NONE and
   * MCP_LOGIN_FAILED.
   */
  login(name: string, dialog: LoginDialog): Promise<void>;
  /** Forgets the login at a server; resolves with whether there was one. Throws MCP_UNKNOWN, MCP_LOGIN_NONE and MCP_LOGINS. */
  logout(name: string): Promise<boolean>;
  /** Accepts all tools of a server as it describes them now; returns those that were not accepted before. Throws MCP_UNKNOWN. */
  accept(name: string): McpAccepted[];
}

declare module "@scorel/kernel" {
  interface Services {
    mcp: McpService;
  }
  interface Projections {
    /** The tools of MCP servers that the model has found with ToolSearch, in the order in which it did. */
    foundTools: readonly string[];
  }
}
declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /**
     * MCP servers that a client brings for the session, such as those of an editor: of each, the JSON of a table as in `[[mcp.servers]]`.
     * Values are taken as they are: `${NAME}` stands for nothing. They are not stored.
     */
    mcpServers?: readonly string[] | undefined;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists the MCP servers of a session, with their tools. */
    list_mcp_servers: { params: { sessionId: string }; result: { servers: McpServerRow[] } };
    /** Starts an MCP server anew. Throws MCP_UNKNOWN and MCP_START. */
    restart_mcp_server: { params: { sessionId: string; name: string }; result: McpServerRow };
  }
}
