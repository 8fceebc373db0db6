import { clause } from "@scorel/kit/text/one-line";
import { keepLogin, readLogin } from "../auth/logins.ts";
import type { LoginDialog, McpServerRow } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Address, type Definition, hasKey } from "./definitions.ts";
import { expanded, type Sources } from "./variables.ts";

/** Logins at the servers of a session. */
export class Logins {
  private readonly sources: () => Sources;

  constructor(sources: () => Sources) {
    this.sources = sources;
  }

  /** Logs a person in at a server. Throws MCP_LOGIN_NONE, MCP_LOGIN_FAILED. */
  async login(definition: Definition, dialog: LoginDialog): Promise<void> {
    const way = this.wayOf(definition);
    const [{ login, NoLogin }, { reasonOf }] = await Promise.all([
      import("../auth/login.ts"),
      import("../auth/wire.ts"),
    ]);
    await login(way, definition.callbackPort, dialog).catch((thrown: unknown) => {
      if (thrown instanceof NoLogin) throw errors.MCP_LOGIN_NONE({ server: definition.name, why: "open" });
      const reason = dialog.signal.aborted ? "it was stopped" : clause(reasonOf(thrown));
      throw errors.MCP_LOGIN_FAILED({ server: definition.name, reason });
    });
  }

  /** Deletes a login. Throws MCP_LOGIN_NONE, MCP_LOGINS. */
  logout(definition: Definition): Promise<boolean> {
    return keepLogin(this.wayOf(definition).url, undefined);
  }

  private wayOf(definition: Definition): Address {
    const { way } = expanded(definition, this.sources());
    if (!("url" in way)) throw errors.MCP_LOGIN_NONE({ server: definition.name, why: "program" });
    if (hasKey(way)) throw errors.MCP_LOGIN_NONE({ server: definition.name, why: "key" });
    return way;
  }

  /**
   * Whether a login is stored; undefined for servers without logins. Does not throw for an invalid URL: that is reported when the server
   * starts.
   */
  of(definition: Definition): McpServerRow["login"] {
    if (!("url" in definition.way) || hasKey(definition.way)) return undefined;
    try {
      return readLogin(this.wayOf(definition).url) ? "kept" : "none";
    } catch {
      return "unknown";
    }
  }
}
