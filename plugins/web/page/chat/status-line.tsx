import type { Live, RemoteClient } from "@scorel/host/client";
import { useState } from "react";
import { useSeconds } from "../app/link-state.tsx";
import { safeLine } from "../display/safe.ts";
import { useRights } from "../host/rights.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { attempt } from "../ui/notes.ts";
import { useWords } from "../words/words.ts";
import { type Mode, ModeChoice, ThinkingChoice } from "./choices.tsx";
import { ModelChoice } from "./model-choice.tsx";

/** Most characters of the reason for another attempt. */
const LONGEST_REASON = 80;

/** The state of the session, its model and its settings. */
export function StatusLine({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const words = useWords();
  const { model, thinking, context, spent, branch, permission, permissionDefault, ...rest } = useStore(session.status);
  // Without the host, nothing is known about the present.
  const doing = rest.connection === "live" ? rest.doing : undefined;
  const [isOpen, setOpen] = useState(false);
  const mode = permission ?? permissionDefault;
  const short = [mode && (words.modes[mode] ?? mode), model?.split("/").at(-1) ?? words.noModel];
  const locked = useLock(session);
  const since = doing && "since" in doing ? doing.since : undefined;
  const now = useSeconds(since !== undefined || doing?.state === "retrying");
  const isThinking = useStore(session.entries).some(({ live }) => hasBegun(live?.get()));
  const parts = [
    context?.share === undefined ? undefined : words.context(context.share),
    spent && (spent.cost === undefined ? words.costUnknown : words.cost(spent.cost)),
    branch,
  ];
  return (
    <footer className="status" data-folded={!isOpen || undefined}>
      <span role="status">
        {doing && words.states[isThinking || doing.state !== "thinking" ? doing.state : "called"]}
        {doing?.state === "retrying" &&
          words.nextAttempt(
            doing.attempt,
            doing.of,
            Math.max(0, Math.ceil((doing.until - now) / 1_000)),
            shortened(safeLine(doing.reason)),
          )}
        {since !== undefined && ` ${Math.max(0, Math.floor((now - since) / 1_000))} s`}
      </span>
      {/* A phone shows this button, since the whole line would take the space of the conversation. */}
      <button type="button" className="link status-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {safeLine(short.filter(Boolean).join(" · "))}
      </button>
      <PermissionMode client={client} session={session} />
      <ModelChoice
        client={client}
        sessionId={session.id}
        current={model}
        locked={locked}
        choose={(name) => client.request("set_model", { sessionId: session.id, model: name })}
      />
      <ThinkingChoice
        current={thinking ?? "off"}
        locked={locked}
        choose={(level) => attempt(() => client.request("set_thinking", { sessionId: session.id, level }))}
      />
      {parts.map(
        (part) =>
          part !== undefined && (
            <span key={part} title={safeLine(part)}>
              {safeLine(part)}
            </span>
          ),
      )}
    </footer>
  );
}

function shortened(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}…` : reason;
}

/** Whether something of a reply has arrived. */
function hasBegun(live: Live | undefined): boolean {
  return live?.kind === "reply" && (live.thinking !== "" || live.calls.length > 0);
}

/** Why this page cannot change the session's settings; undefined if it can. */
function useLock(session: OpenSession): string | undefined {
  const words = useWords();
  const { manage } = useRights();
  if (useStore(session.status).connection !== "live") return words.unreachable;
  return manage ? undefined : words.needsAdmin;
}

/** A list to choose the permission mode. The modes are requested when the list is opened. */
function PermissionMode({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const { permission, permissionDefault } = useStore(session.status);
  const locked = useLock(session);
  const [modes, setModes] = useState<readonly Mode[]>([]);
  const current = permission ?? permissionDefault;
  if (current === undefined) return null;
  const read = () =>
    void client.request("list_permission_modes", { sessionId: session.id }).then(
      (answer) => setModes(answer.modes),
      () => {},
    );
  return (
    <ModeChoice
      current={current as Mode["mode"]}
      locked={locked}
      modes={modes}
      onNeed={read}
      choose={(mode) => attempt(() => client.request("set_permission", { sessionId: session.id, mode }))}
    />
  );
}
