import type { Awaitable } from "@scorel/kernel";
import type { z } from "zod";
import type { AnswerSize, Operation, Operations, PathReach } from "../contract.ts";
import type { Caller } from "./caller.ts";

/** One of the host's own operations, described in the same way as those that plugins contribute. */
export interface OwnOperation<O extends Operation> {
  /** What the operation does, in one line. */
  summary: string;
  /** Set if the operation changes no conversation, setting or file. */
  readOnly?: true;
  /** Set if the operation has no `sessionId`, and limits itself to the sessions and projects in the client's scope. */
  confined?: true;
  /** Set if the operation opens a session and accepts session options besides its own params. */
  opens?: true;
  paths?: Readonly<Record<string, PathReach>>;
  size?: AnswerSize;
  params(): z.ZodType<Operations[O]["params"]>;
  run(params: Operations[O]["params"], caller: Caller): Awaitable<Operations[O]["result"]>;
}
