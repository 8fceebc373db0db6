import { everyPage } from "@scorel/host/client";
import type { ModelRow } from "@scorel/host/contract";
import type { Surroundings } from "../parts.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace } from "./picker-parts.ts";

/** The models that the session can use, with their context windows and prices. */
export function modelPicker(at: PickerPlace & Surroundings, sessionId: string): ListPicker<ModelRow> {
  const { client, pickerWords: words } = at;
  return new ListPicker<ModelRow>(at, {
    title: () => words.modelsTitle,
    empty: words.modelsEmpty,
    load: async () => {
      const { models } = await everyPage((page) => client.request("list_models", { sessionId, ready: true, ...page }));
      return models;
    },
    row: (model) => ({
      label: nameOf(model),
      detail: [
        ...(model.current ? [words.current] : []),
        words.window(tokensText(model.contextWindow)),
        ...(model.cost ? [words.prices(price(model.cost.input), price(model.cost.output))] : []),
      ].join(" · "),
      ...(model.current && { isCurrent: true }),
    }),
    searched: nameOf,
    id: nameOf,
  });
}

/** The full name of a model: `provider/id`. */
export function nameOf({ provider, id }: ModelRow): string {
  return `${provider}/${id}`;
}

/** 200000 as `200k`, and 1000000 as `1M`. */
function tokensText(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 100_000) / 10}M`;
}

function price(dollars: number): string {
  return `$${dollars < 0.1 && dollars > 0 ? dollars.toFixed(3) : dollars.toFixed(2)}`;
}
