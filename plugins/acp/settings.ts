import type { SessionConfigOption, SessionMode, SessionModeState } from "@agentclientprotocol/sdk";
import { everyPage } from "@scorel/host/client";
import type { Client, SessionStatus, ThinkingLevel } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Mode } from "@scorel/permissions/contract";
import { errors } from "./errors.ts";

/** The options of a session, such as model and permission mode, as ACP describes them. Editors without support for options show only the modes. */
export interface Choices {
  modes?: SessionModeState;
  configOptions: SessionConfigOption[];
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];
/** The most models that are offered. Others can be chosen with `/model`. */
const MAX_MODELS = 200;

type Select = Extract<SessionConfigOption, { type: "select" }>;

/** The permission mode, the model and the thinking level of a session. */
export class Settings {
  private readonly client: Client;
  private readonly sessionId: string;

  constructor(client: Client, sessionId: string) {
    this.client = client;
    this.sessionId = sessionId;
  }

  async read(): Promise<Choices> {
    const { client, sessionId } = this;
    const [status, modes, models] = await Promise.all([
      client.request("get_status", { sessionId }),
      ifSupported(client.request("list_permission_modes", { sessionId })),
      everyPage((page) => client.request("list_models", { sessionId, ready: true, ...page })),
    ]);
    const offered = modes?.modes.filter(({ current, unavailable }) => current || !unavailable) ?? [];
    const mode = modeState(offered);
    const levels = models.models.some(({ current, thinks }) => current && thinks) ? levelOption(status) : [];
    return {
      ...(mode && { modes: mode }),
      configOptions: [...(mode ? [modeOption(mode)] : []), ...modelOption(models.models, status), ...levels],
    };
  }

  /** Throws ACP_VALUE, and errors of `set_permission`. */
  async setMode(modeId: string): Promise<void> {
    await this.set("mode", modeId);
  }

  /** Sets an option, and returns all of them. Throws ACP_OPTION, ACP_VALUE. */
  async setOption(option: string, value: string | boolean): Promise<SessionConfigOption[]> {
    await this.set(option, String(value));
    return (await this.read()).configOptions;
  }

  private async set(option: string, value: string): Promise<void> {
    const { client, sessionId } = this;
    const { configOptions } = await this.read();
    const offered = configOptions.find(({ id }) => id === option) as Select | undefined;
    if (!offered) throw errors.ACP_OPTION({ option: lineOf(option) });
    const isOffered = (offered.options as { value: string }[]).some((each) => each.value === value);
    if (!isOffered) throw errors.ACP_VALUE({ option, value: lineOf(value) });
    if (option === "mode") await client.request("set_permission", { sessionId, mode: value as Mode });
    else if (option === "model") await client.request("set_model", { sessionId, model: value });
    else await client.request("set_thinking", { sessionId, level: value as ThinkingLevel });
  }
}

function modeState(modes: readonly { mode: Mode; about: string; current?: true | undefined }[]) {
  const current = modes.find((each) => each.current);
  if (!current) return undefined;
  const availableModes: SessionMode[] = modes.map(({ mode, about }) => ({
    id: mode,
    name: named(mode),
    description: about,
  }));
  return { currentModeId: current.mode, availableModes };
}

function modeOption({ currentModeId, availableModes }: SessionModeState): SessionConfigOption {
  return {
    type: "select",
    id: "mode",
    name: "Permissions",
    category: "mode",
    currentValue: currentModeId,
    options: availableModes.map(({ id, ...mode }) => ({ value: id, ...mode })),
  };
}

function modelOption(
  rows: readonly { provider: string; id: string }[],
  { model }: SessionStatus,
): SessionConfigOption[] {
  if (model === undefined) return [];
  const all = [...new Set([model, ...rows.map(({ provider, id }) => `${provider}/${id}`)])].slice(0, MAX_MODELS);
  const options = all.map((value) => ({ value, name: lineOf(value) }));
  return [{ type: "select", id: "model", name: "Model", category: "model", currentValue: model, options }];
}

function levelOption({ thinking = "off" }: SessionStatus): SessionConfigOption[] {
  const options = LEVELS.map((value) => ({ value, name: named(value) }));
  const about = { id: "thinking", name: "Thinking", category: "thought_level" };
  return [{ type: "select", ...about, currentValue: thinking, options }];
}

function named(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Resolves with undefined if no plugin provides the operation. */
async function ifSupported<R>(answer: Promise<R>): Promise<R | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return undefined;
  }
}
