import { everyPage, type RemoteClient } from "@scorel/host/client";
import type { SessionStatus, ThinkingLevel } from "@scorel/host/contract";
import type { PresetSummary } from "@scorel/inspect/contract";
import { useEffect, useState } from "react";
import { safeLine } from "../display/safe.ts";
import { Problem } from "../ui/problem.tsx";
import { useWords } from "../words/words.ts";
import { type Mode, ModeChoice, ThinkingChoice } from "./choices.tsx";
import { ModelChoice } from "./model-choice.tsx";

/** What a person has chosen for a session that does not exist yet. The host decides about the rest. */
export interface Chosen {
  preset?: string;
  model?: string;
  thinking?: ThinkingLevel;
  permission?: Mode["mode"];
}

interface NewOptionsProps {
  client: RemoteClient;
  directory: string;
  sampled: Sampled;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

/** Shows the options for a new session, and lets the person change them. */
export function NewOptions({ client, directory, sampled: { sample, problem }, chosen, onChange }: NewOptionsProps) {
  const words = useWords();
  const presets = usePresets(client, directory);
  const thinking = chosen.thinking ?? sample?.status.thinking ?? "off";
  const mode = chosen.permission ?? sample?.status.permission ?? sample?.status.permissionDefault;
  const model = chosen.model ?? sample?.status.model;
  return (
    <fieldset className="status new-options" aria-label={words.newOptions}>
      {presets.length > 0 && (
        <select
          aria-label={words.preset}
          value={chosen.preset ?? ""}
          onChange={({ target }) => onChange(target.value === "" ? {} : { preset: target.value })}
        >
          <option value="">{words.noPreset}</option>
          {presets.map(({ name, description }) => (
            <option key={name} value={name} title={safeLine(description)}>
              {safeLine(name)}
            </option>
          ))}
        </select>
      )}
      {sample && (
        <>
          {mode && (
            <ModeChoice
              current={mode as Mode["mode"]}
              modes={sample.modes}
              choose={(permission) => onChange({ ...chosen, permission })}
            />
          )}
          <ModelChoice
            client={client}
            sessionId={sample.status.sessionId}
            current={model}
            choose={async (name) => onChange({ ...chosen, model: name })}
          />
          <ThinkingChoice current={thinking} choose={(level) => onChange({ ...chosen, thinking: level })} />
        </>
      )}
      <Problem text={problem} />
    </fieldset>
  );
}

function usePresets(client: RemoteClient, directory: string): readonly PresetSummary[] {
  const [presets, setPresets] = useState<readonly PresetSummary[]>([]);
  useEffect(() => {
    everyPage((page) => client.request("list_presets", { cwd: directory, ...page })).then(
      (answer) => setPresets(answer.presets.filter((preset) => !preset.problem)),
      // Clients that may not list presets do without them.
      () => setPresets([]),
    );
  }, [client, directory]);
  return presets;
}

interface Sample {
  status: SessionStatus;
  modes: readonly Mode[];
}

/** The session of `useSample`, once it is open, or why it could not be opened. */
export interface Sampled {
  sample?: Sample;
  problem?: string;
}

/** A hidden session that is not stored, open while a person chooses options: the possible choices and mentions depend on a session. */
export function useSample(client: RemoteClient, cwd: string, preset: string | undefined): Sampled {
  const [state, setState] = useState<Sampled>({});
  useEffect(() => {
    let isWanted = true;
    setState({});
    const opening = client.request("create_session", {
      cwd,
      unsaved: true,
      attending: true,
      ...(preset !== undefined && { preset }),
    });
    opening
      .then(async (status) => ({ status, modes: await modesOf(client, status.sessionId) }))
      .then(
        (sample) => isWanted && setState({ sample }),
        (thrown) => isWanted && setState({ problem: (thrown as Error).message }),
      );
    return () => {
      isWanted = false;
      // If the connection is lost, the host closes the session itself.
      opening.then(({ sessionId }) => client.request("close_session", { sessionId })).catch(() => {});
    };
  }, [client, cwd, preset]);
  return state;
}

/** Empty if the preset has no permission modes. */
async function modesOf(client: RemoteClient, sessionId: string): Promise<readonly Mode[]> {
  try {
    return (await client.request("list_permission_modes", { sessionId })).modes;
  } catch (thrown) {
    if ((thrown as { code?: string }).code === "HOST_OPERATION_UNKNOWN") return [];
    throw thrown;
  }
}
