import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientScope } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";
import type { Scope } from "@scorel/kit/values/scopes";

/**
 * Handlers of one path of the host's web server. Before any of them runs, the server has checked the headers `Host` and `Origin`, and
 * before `request` also the token.
 */
export interface WebRoute {
  /** The path, such as `/ws`. A path that ends with a slash also matches all paths below it, except `/`, which matches only itself. */
  path: string;
  /** Methods that `request` accepts; others get status 405. Only POST may change anything. Default: GET. */
  methods?: readonly ("GET" | "POST")[];
  /** Answers a request. An error that it throws is logged, and answered with status 500. */
  request?(request: IncomingMessage, response: ServerResponse, grant: Grant): Awaitable<void>;
  /**
   * Answers every GET request, with or without a token, instead of `request`. It must send only public content: files of a program, and
   * nothing about this host or its user. It may override headers that the server has set, such as `Content-Security-Policy`.
   */
  open?(request: IncomingMessage, response: ServerResponse): Awaitable<void>;
  /** Takes over a connection. If the header has no token, `visitor.grant` is undefined, and the first message must contain the token. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, visitor: Visitor): Awaitable<void>;
}

/** The rights of a token. */
export interface Grant {
  /** Name of the token. */
  name: string;
  /** Equal for two grants exactly if they come from the same token with the same scopes. Not a secret. */
  identity: string;
  /** The rights of a client with this token; undefined if it may do everything. */
  scope: ClientScope | undefined;
  /** The scopes with which the token was made. */
  scopes: readonly Scope[];
  /** Whether the token belongs to a page in the browser, which got it in exchange for a code. */
  isPage: boolean;
  /** Aborted when the token is replaced or removed, or gets other scopes. */
  revoked: AbortSignal;
}

/** A client that opens a connection to the web server. */
export interface Visitor {
  /** The grant of the token in the header `Authorization`; undefined if there is no token. */
  readonly grant: Grant | undefined;
  /**
   * Returns a proof that this host knows the token with this id, for a client that has connected to `authority`; see `proofText` of the
   * kit. The proof tells nothing to a client that does not know the token. Throws WEB_AUTHORITY.
   */
  prove(asked: { id: string; nonce: string; authority: string }): string;
  /**
   * Checks a token that arrived in a message, and returns its grant. Throws WEB_TOKEN, or WEB_TOKEN_FULL and WEB_WAIT if there is no room
   * for the connection.
   */
  admit(token: string | undefined): Grant;
}

/** The service `webServer`. */
export interface WebServerService {
  /** Address of the server, such as `http://127.0.0.1:7777`; undefined while it does not run. */
  readonly address: string | undefined;
  /** Whether a token is valid now, by the id that `tokenId` of the client package computes from it. */
  isLetIn(tokenId: string): Promise<boolean>;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Makes a code that a page in the browser exchanges once, within a minute, for a token of its own, with POST to `/access`. The code
     * belongs in the fragment of the page's URL, which browsers do not send. Default scopes: view, prompt and approve. The token is valid
     * for 12 hours, also after a restart of the host, or until a token of the host is replaced or removed. With `asFile`, the result also
     * names an HTML file on the host's computer that only its user can read and that opens the link; it is deleted when the code is used or
     * expires. With `directory`, an absolute path, the page starts with a new session there.
     */
    create_access_code: {
      params: { scopes?: Scope[]; asFile?: boolean; directory?: string };
      result: { code: string; address: string; seconds: number; file?: string };
    };
    /**
     * Ends the token of a page, given by its id from `tokenId` of the client package, and closes the connections that use it. Other tokens
     * stay valid.
     */
    end_page: { params: { page: string }; result: { ended: boolean } };
  }
}

declare module "@scorel/kernel" {
  interface Services {
    webServer: WebServerService;
  }
  interface Contributions {
    /** Paths that the host's web server answers, with their handlers. Host plugins only. */
    webRoutes: WebRoute[];
  }
}
