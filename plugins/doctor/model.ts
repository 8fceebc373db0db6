import { codeOf } from "@scorel/kernel";
import type { LocalModel, ModelReach } from "@scorel/model/contract";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding } from "./contract.ts";

const LIMIT_MS = 2_500;
/** Maximum number of models listed per server. */
const SHOWN = 5;
const NAMES: Readonly<Record<string, string>> = {
  name: "looking up its name",
  connection: "connecting",
  encryption: "encrypting",
  answer: "asking",
};

/** Checks whether there is a model with a key, and whether its server can be reached. Also lists local models. */
export async function checkModel(context: CheckContext): Promise<Part> {
  const { models, options, cwd } = context;
  if (!models) return { findings: [] };
  const offline = options.offline === true;
  const named = typeof options.model === "string" ? { model: options.model } : {};
  const local = offline ? [] : await models.local(cwd).catch((): LocalModel[] => []);
  try {
    const model = await models.reach({ cwd, ...named }, offline ? 0 : LIMIT_MS);
    return {
      model,
      ...(!offline && { local }),
      findings: [...aboutKey(model), ...aboutConnection(model, offline), ...aboutLocal(local)],
    };
  } catch (thrown) {
    // Configuration errors are reported by the check of the settings.
    const told = /^CONFIG_|^TRUST_/.test(codeOf(thrown));
    return { ...(!offline && { local }), findings: [...(told ? [] : noModel(thrown, local)), ...aboutLocal(local)] };
  }
}

function noModel(thrown: unknown, [found]: readonly LocalModel[]): Finding[] {
  if (codeOf(thrown) !== "MODEL_NONE") return thrownFindings(thrown, "", "Correct it, then: scorel model check");
  const doNext = found
    ? `Use what runs here: scorel --model ${found.provider}/${found.id}`
    : "scorel login openai (or another provider), or scorel login custom for your own server.";
  return [{ code: "MODEL_NONE", severity: "warning", what: "No model is configured.", where: "", doNext }];
}

function aboutKey({ keyProblem }: ModelReach): Finding[] {
  if (!keyProblem) return [];
  const { code, message } = keyProblem;
  return [
    {
      code,
      severity: "error",
      what: message,
      where: "",
      doNext: "Set that variable or store a key, then: scorel model check",
    },
  ];
}

function aboutConnection({ model, host, proxy, status, failed, steps }: ModelReach, offline: boolean): Finding[] {
  const where = host ?? "";
  if (host === undefined)
    return [{ code: "MODEL", severity: "ok", what: `${model} needs no server.`, where, doNext: "" }];
  if (offline)
    return [
      {
        code: "MODEL_NOT_ASKED",
        severity: "note",
        what: `${model}: its server was not contacted (--offline).`,
        where,
        doNext: "",
      },
    ];
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  if (failed) {
    const { step, reason, advice, late } = failed;
    const what = `${model} cannot be reached${through}: ${NAMES[step]} failed (${reason}).`;
    return [{ code: "MODEL_UNREACHED", severity: late ? "warning" : "error", what, where, doNext: advice }];
  }
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  if (status !== undefined && status >= 500)
    return [
      {
        code: "MODEL_SERVER",
        severity: "warning",
        what: `The server of ${model} answers ${status}${through}.`,
        where,
        doNext: "The server itself has a problem: try again later.",
      },
    ];
  return [
    {
      code: "MODEL",
      severity: "ok",
      what: `The server of ${model} answers${through} in ${ms} ms.`,
      where,
      doNext: "To check the key: scorel model check",
    },
  ];
}

/** Creates one finding per server, since some have many models. */
function aboutLocal(local: readonly LocalModel[]): Finding[] {
  return [...new Set(local.map(({ server }) => server))].map((server) => {
    const own = local.filter((model) => model.server === server);
    const { provider, id, baseUrl } = own[0] as LocalModel;
    const more = own.length > SHOWN ? ` and ${own.length - SHOWN} more` : "";
    const names = own.slice(0, SHOWN).map((model) => model.id);
    return {
      code: "MODEL_LOCAL",
      severity: "note",
      what: `${server} on this machine has ${names.join(", ")}${more}.`,
      where: baseUrl,
      doNext: `To use one: scorel --model ${provider}/${id}`,
    };
  });
}
