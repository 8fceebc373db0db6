import type { BaseContext } from "@scorel/kernel";
import { isLoopback } from "@scorel/kit/net/loopback";
import { type Claim, claim } from "@scorel/kit/values/claims";
import { type Choice, custom } from "../choose/choice.ts";
import { nearest } from "../choose/near.ts";
import { providerKeys } from "../choose/provider-keys.ts";
import { type Sources, variablesOf } from "../choose/resolve.ts";
import type { ProviderModel } from "../contract.ts";
import { errors } from "../errors.ts";
import { accessFor } from "../keys/key.ts";
import { isSecretHeader, type Secrets } from "../keys/secrets.ts";
import { subscriptions } from "../keys/subscriptions.ts";
import { flawOfProvider, listedModels, type OwnedProvider } from "./provider.ts";

/** Milliseconds that a provider may take to list its models. */
const PATIENCE = 10_000;

type Listing = { models?: readonly ProviderModel[]; pending?: Promise<readonly ProviderModel[] | undefined> };

/** The providers that plugins contribute. Collected at the first use, and again after each change. */
export class Providers {
  private readonly ctx: BaseContext;
  private readonly from: Sources;
  private readonly secrets: Secrets;
  private owned: Map<string, OwnedProvider> | undefined;
  private readonly listings = new WeakMap<object, Listing>();

  constructor(ctx: BaseContext, from: Sources, secrets: Secrets) {
    this.ctx = ctx;
    this.from = from;
    this.secrets = secrets;
    ctx.onContributed("providers", () => {
      this.owned = undefined;
    });
  }

  all(): OwnedProvider[] {
    this.owned ??= this.collect();
    return [...this.owned.values()];
  }

  get(id: string): OwnedProvider | undefined {
    this.owned ??= this.collect();
    return this.owned.get(id);
  }

  /** Resolves a contributed model. Throws MODEL_ errors, also if the provider has not listed its models yet. */
  choice(owned: OwnedProvider, model: string): Choice {
    const models = this.listed(owned);
    if (!models) throw errors.MODEL_PROVIDER_MODELS({ provider: owned.id });
    const listed = models.find(({ id }) => id === model);
    const ids = models.map(({ id }) => id);
    if (!listed) throw errors.MODEL_UNKNOWN({ provider: owned.id, id: model, near: nearest(model, ids) });
    return this.choiceOf(owned, listed);
  }

  /** Lists a provider's models. If that fails, reports it and resolves with undefined. */
  async models(owned: OwnedProvider): Promise<readonly ProviderModel[] | undefined> {
    const known = this.listed(owned);
    if (known) return known;
    const listing = this.listings.get(owned.provider) ?? {};
    this.listings.set(owned.provider, listing);
    listing.pending ??= this.discover(owned).then((models) => {
      listing.pending = undefined;
      if (models) listing.models = models;
      return models;
    });
    return listing.pending;
  }

  /** Where a provider's key comes from, as in ModelCheck; undefined without one. */
  credentialOf(owned: OwnedProvider): string | undefined {
    try {
      return accessFor(this.choiceOf(owned, anyModel), this.from).credential;
    } catch {
      // The models are listed as not ready. A request throws the reason.
      return undefined;
    }
  }

  private listed({ provider }: OwnedProvider): readonly ProviderModel[] | undefined {
    return Array.isArray(provider.models) ? provider.models : this.listings.get(provider)?.models;
  }

  private async discover(owned: OwnedProvider): Promise<readonly ProviderModel[] | undefined> {
    const { id, plugin, provider } = owned;
    const { accessTo } = await import("./access.ts");
    const guarded = { plugin, where: `models of provider ${id}`, otherwise: undefined, limit: PATIENCE };
    return this.ctx.attempt(guarded, async (): Promise<readonly ProviderModel[] | undefined> => {
      if (typeof provider.models !== "function") return provider.models;
      const { key, credential } = accessFor(this.choiceOf(owned, anyModel), this.from);
      const { access } = accessTo(provider, {
        key: credential === "no key" ? undefined : key,
        signal: AbortSignal.timeout(PATIENCE),
      });
      const found = listedModels(await provider.models(access));
      if ("flaw" in found) throw errors.MODEL_PROVIDER({ plugin, provider: id, reason: found.flaw });
      return found.models;
    });
  }

  private choiceOf(owned: OwnedProvider, listed: ProviderModel): Choice {
    const { id: provider, provider: given } = owned;
    const { baseUrl, api, apiKeyEnv, headers } = given;
    const keyVariables = keyVariablesOf(owned);
    const { id, contextWindow, maxTokens, reasoning = false, input = ["text"], idleTimeout } = listed;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...listed.cost };
    const common = { provider, id, baseUrl, contextWindow, maxTokens, reasoning, input: [...input], cost };
    const more = { ...common, ...(idleTimeout !== undefined && { idleTimeout }) };
    const stored = () => {
      const found = this.from.stored()[provider];
      return typeof found === "string" ? found : undefined;
    };
    // A key stored for a provider that Scorel knows must not be sent to another host.
    const access = {
      keyVariables,
      ...(apiKeyEnv !== false && keyVariables.length > 0 && !owned.replacesKnown && { stored }),
    };
    if (api === undefined) return { model: { ...more, api: provider, name: id }, ...access, own: { ...owned, listed } };
    const table = { ...more, type: "custom", api, apiKeyEnv: keyVariables[0] ?? "NONE" } as const;
    return { ...custom({ ...table, ...(headers && { headers: { ...headers } }) }), ...access };
  }

  private collect(): Map<string, OwnedProvider> {
    const owners = new Map<string, Claim & { owned?: OwnedProvider }>();
    for (const name of knownProviders(this.from))
      owners.set(name, { plugin: "model", name, replaces: false, report: () => {} });
    this.ctx.collect("providers", (value, plugin, flaw, replaces) => {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw errors.MODEL_PROVIDER({ plugin, reason: "must be an object with a provider for each id" });
      for (const [id, provider] of Object.entries(value)) {
        const reason = flawOfProvider(id, provider);
        if (reason !== undefined) flaw(errors.MODEL_PROVIDER({ plugin, provider: id, reason }));
        else {
          const replacesKnown = Object.hasOwn(providerKeys, id) || Object.hasOwn(subscriptions, id);
          const owned: OwnedProvider = { id, plugin, provider: provider as OwnedProvider["provider"], replacesKnown };
          const takes = replaces.includes(id) && id !== "offline";
          const claimed = { plugin, name: id, replaces: takes, report: flaw, owned };
          claim(owners, claimed, errors.MODEL_PROVIDER_TAKEN);
        }
      }
    });
    const found = new Map([...owners].flatMap(([id, { owned }]) => (owned ? [[id, owned] as const] : [])));
    for (const owned of found.values()) this.learn(owned);
    return found;
  }

  /** Registers the provider's keys as secrets, so that they are kept out of logs and child processes. */
  private learn(owned: OwnedProvider): void {
    const variables = keyVariablesOf(owned).flatMap((name) => this.from.env[name] ?? []);
    const headers = Object.entries(owned.provider.headers ?? {}).filter(([name]) => isSecretHeader(name));
    this.secrets.learn([...variables, ...headers.map(([, value]) => value)]);
  }
}

/** A stand-in for code that needs a model but only uses its provider. */
const anyModel: ProviderModel = { id: "any", contextWindow: 1, maxTokens: 1 };

function keyVariablesOf({ id, provider: { apiKeyEnv, baseUrl, login } }: OwnedProvider): readonly string[] {
  if (typeof apiKeyEnv === "string") return [apiKeyEnv];
  // A server on this machine needs no key, unless its provider has a login.
  if (apiKeyEnv === false || (!login && isLoopback(new URL(baseUrl).hostname))) return [];
  return variablesOf(id);
}

/** The ids of Scorel's own providers. Taken from small tables, since the list of known models takes long to load. */
function knownProviders({ servers }: Sources): string[] {
  return [
    ...Object.keys(providerKeys),
    ...Object.keys(subscriptions),
    ...servers.map(({ provider }) => provider),
    "offline",
  ];
}
