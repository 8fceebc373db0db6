/** The scopes that a client of a host can be given. */
export const scopeNames = ["view", "prompt", "approve", "admin"] as const;
export type Scope = (typeof scopeNames)[number];

/** Operations that change something, by the scope that includes them. `admin` includes all. */
const operations: Readonly<Record<Exclude<Scope, "admin">, readonly string[]>> = {
  view: [],
  prompt: [
    "create_session",
    "continue_session",
    "load_session",
    "send_message",
    "cancel",
    "rewrite_queue",
    "run_queue",
    // Without `approve`, guards ask about the line as about a command of the model.
    "run_shell",
    "end_shell",
    // Returns files of the project, which anyone who may send messages can also have the model read.
    "view_file",
    // Each command is allowed only if the scope includes the operations that it stands for.
    "run_command",
  ],
  approve: ["answer_request", "attend_requests"],
};

/** The operations that a host allows a client with these scopes. Each scope includes reading; undefined means everything. */
export function clientScope(scopes: readonly Scope[]): { operations: readonly string[] } | undefined {
  const changing: string[] = [];
  for (const scope of scopes) {
    if (scope === "admin") return undefined;
    changing.push(...operations[scope]);
  }
  return { operations: ["read", ...changing] };
}
