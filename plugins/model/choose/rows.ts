import type { BaseContext } from "@scorel/kernel";
import type { ListedModel, ModelAdminService } from "../contract.ts";
import { matching } from "./admin.ts";

/** A row of `list_models`. Prices are absent if they are not known. */
type ModelRow = Omit<ListedModel, "cost" | "credential"> & Partial<Pick<ListedModel, "cost">> & { current?: true };

interface Asked {
  filter?: string | undefined;
  /** Lists only models with a key or a subscription. */
  ready?: boolean | undefined;
}

/** The models that a session can use, with the current one if it matches the filter. */
export async function modelRows(ctx: BaseContext, { filter = "", ready = false }: Asked): Promise<ModelRow[]> {
  const admin = ctx.find("modelAdmin") as ModelAdminService;
  const current = currentOf(ctx);
  const isCurrent = ({ provider, id }: Pick<ListedModel, "provider" | "id">) =>
    provider === current?.provider && id === current.id;
  const all = (await admin.list(filter)).filter((each) => each.ready || !ready || isCurrent(each));
  const isMissing = current !== undefined && matching(filter)(current) && !all.some(isCurrent);
  return [...(isMissing ? [current] : []), ...all].map((each) => rowOf(each, isCurrent(each)));
}

/** The session's current model, which may be in no list, such as one of a server on this computer. */
function currentOf(ctx: BaseContext): ListedModel | undefined {
  try {
    const model = ctx.find("model")?.current();
    if (!model) return undefined;
    const { provider, id, contextWindow, maxTokens, cost, input, reasoning } = model;
    const images = input.includes("image");
    return { provider, id, contextWindow, maxTokens, cost, images, thinks: reasoning, ready: true };
  } catch {
    return undefined; // There is no usable model. The session itself reports that.
  }
}

/** Creates a row. Omits prices that are all zero, since they are not known then. */
function rowOf({ credential: _, cost: { input, output }, ...model }: ListedModel, isCurrent: boolean): ModelRow {
  const isPriced = input > 0 || output > 0;
  return { ...model, ...(isPriced && { cost: { input, output } }), ...(isCurrent && { current: true }) };
}
