import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientScope } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";
import type { Scope } from "@scorel/kit/values/scopes";

/**
 * What a path of the host's web server does. The server has checked the headers `Host` and `Origin` before, and for `request` also
 * the token.
 */
export interface WebRoute {
  /** The path, such as `/ws`; one that ends with a slash stands for all paths below it, except `/`, which stands for itself. */
  path: string;
  /** Methods that `request` takes; others are refused. Only POST may change anything. Default: GET. */
  methods?: readonly ("GET" | "POST")[];
  /** Answers a request. Whatever it throws is logged, and answered with status 500. */
  request?(request: IncomingMessage, response: ServerResponse, grant: Grant): Awaitable<void>;
  /**
   * Answers a GET request of anyone, also without a token, in place of `request`. Whatever it sends must be known to everybody: files of
   * a program, nothing about this host or its user. It may set headers anew that the server has set, such as `Content-Security-Policy`.
   */
  open?(request: IncomingMessage, response: ServerResponse): Awaitable<void>;
  /** Takes over a connection. Without a token in the header, `visitor.grant` is undefined, and the first message must have it. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, visitor: Visitor): Awaitable<void>;
}

/** What a token allows. */
export interface Grant {
  /** Name of the token. */
  name: string;
  /** The same for two grants only if they come from the same token with the same scopes. It is no secret. */
  identity: string;
  /** What a client with this token may do; undefined: everything. */
  scope: ClientScope | undefined;
  /** The same as the names with which the token was made. */
  scopes: readonly Scope[];
  /** Whether the token is that of a page in the browser, which got it for a code. */
  isPage: boolean;
  /** Aborts when the token was replaced or removed, or got other scopes. */
  revoked: AbortSignal;
}

/** Whoever opened a connection to the web server. */
export interface Visitor {
  /** What the token in the header `Authorization` allows; undefined if there was none. */
  readonly grant: Grant | undefined;
  /**
   * Proves to a client that this host knows a token, whose client has connected to `authority`; see `proofText` of the kit. Whoever does
   * not know the token learns nothing from the answer. Throws WEB_AUTHORITY.
   */
  prove(asked: { id: string; nonce: string; authority: string }): string;
  /** Checks a token that came in a message. Throws WEB_TOKEN. */
  admit(token: string | undefined): Grant;
}

/** The service `webServer`. */
export interface WebServerService {
  /** Where the server can be reached, such as `http://127.0.0.1:7777`; undefined while it does not run. */
  readonly address: string | undefined;
  /** Whether a token lets somebody in now, by the id that `tokenId` of the client package gives it. */
  isLetIn(tokenId: string): Promise<boolean>;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Makes a code that a page in the browser exchanges once, within a minute, for a token of its own, with POST to `/access`. It
     * belongs into the fragment of the page's URL, which browsers do not send. Default scopes: view, prompt and approve. The token works
     * for 12 hours, also at a host that was started anew, or until a token of the host is replaced or removed. With `asFile`, a page on the
     * host's computer that only its user can read leads to the link; it is there as long as the code can be used. The page
     * begins with a new session in `directory`, an absolute path, if there is one.
     */
    create_access_code: {
      params: { scopes?: Scope[]; asFile?: boolean; directory?: string };
      result: { code: string; address: string; seconds: number; file?: string };
    };
    /** Ends the token of a page, which `tokenId` of the client package names, and the connections that use it. Other tokens stay. */
    end_page: { params: { page: string }; result: { ended: boolean } };
  }
}

declare module "@scorel/kernel" {
  interface Services {
    webServer: WebServerService;
  }
  interface Contributions {
    /** What the paths of the host's web server do. Host plugins only. */
    webRoutes: WebRoute[];
  }
}
