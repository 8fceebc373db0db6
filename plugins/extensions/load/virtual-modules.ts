/** Loads a module. */
type Load = () => Promise<object>;

/**
 * The modules that an extension may import without installing them. They are the host's own, so that the process has one copy of
 * the kernel and of zod. Each is loaded when an extension first imports it.
 */
const modules: Readonly<Record<string, Load>> = {
  "@scorel/host/client": () => import("@scorel/host/client"),
  "@scorel/host/command-line": () => import("@scorel/host/command-line"),
  "@scorel/kernel": () => import("@scorel/kernel"),
  "@scorel/kernel/containment": () => import("@scorel/kernel/containment"),
  "@scorel/kernel/is-event": () => import("@scorel/kernel/is-event"),
  "@scorel/kernel/store": () => import("@scorel/kernel/store"),
  zod: () => import("zod"),
  "zod/compile": () => import("zod/compile"),
  "zod/locales": () => import("zod/locales"),
  "zod/mini": () => import("zod/mini"),
  "zod/v3": () => import("zod/v3"),
  "zod/v4": () => import("zod/v4"),
  "zod/v4-mini": () => import("zod/v4-mini"),
  "zod/v4/core": () => import("zod/v4/core"),
  "zod/v4/locales": () => import("zod/v4/locales"),
  "zod/v4/mini": () => import("zod/v4/mini"),
  "@mariozechner/pi-agent-core": () => import("@mariozechner/pi-agent-core"),
  "@mariozechner/pi-ai": () => import("@mariozechner/pi-ai"),
  "@mariozechner/pi-ai/anthropic": () => import("@mariozechner/pi-ai/anthropic"),
  "@mariozechner/pi-ai/azure-openai-responses": () => import("@mariozechner/pi-ai/azure-openai-responses"),
  "@mariozechner/pi-ai/bedrock-provider": () => import("@mariozechner/pi-ai/bedrock-provider"),
  "@mariozechner/pi-ai/google": () => import("@mariozechner/pi-ai/google"),
  "@mariozechner/pi-ai/google-vertex": () => import("@mariozechner/pi-ai/google-vertex"),
  "@mariozechner/pi-ai/mistral": () => import("@mariozechner/pi-ai/mistral"),
  "@mariozechner/pi-ai/oauth": () => import("@mariozechner/pi-ai/oauth"),
  "@mariozechner/pi-ai/openai-codex-responses": () => import("@mariozechner/pi-ai/openai-codex-responses"),
  "@mariozechner/pi-ai/openai-completions": () => import("@mariozechner/pi-ai/openai-completions"),
  "@mariozechner/pi-ai/openai-responses": () => import("@mariozechner/pi-ai/openai-responses"),
  "@opentelemetry/api": () => import("@opentelemetry/api"),
  "@opentelemetry/api/experimental": () => import("@opentelemetry/api/experimental"),
  typebox: () => import("typebox"),
  "typebox/compile": () => import("typebox/compile"),
  "typebox/error": () => import("typebox/error"),
  "typebox/format": () => import("typebox/format"),
  "typebox/guard": () => import("typebox/guard"),
  "typebox/schema": () => import("typebox/schema"),
  "typebox/system": () => import("typebox/system"),
  "typebox/type": () => import("typebox/type"),
  "typebox/value": () => import("typebox/value"),
};

/** The names of these modules. */
export const virtualNames: readonly string[] = Object.keys(modules);

interface VirtualOptions {
  /** Called with the name of a module when an extension imports it. */
  onUse?(name: string): void;
  /** Further modules, by name. */
  more?: Readonly<Record<string, Load>>;
}

const loading = new Map<string, Promise<object>>();
const loaded = new Map<string, object>();

/**
 * An object with a getter for each name. A module that is not loaded yet is a promise, which `import` awaits. `require` cannot
 * wait, so `preload` loads its modules before.
 */
export function createVirtualModules({ onUse, more }: VirtualOptions = {}): Record<string, unknown> {
  const virtual: Record<string, unknown> = {};
  for (const [name, load] of Object.entries<Load>({ ...modules, ...more }))
    Object.defineProperty(virtual, name, {
      enumerable: true,
      get() {
        onUse?.(name);
        return loaded.get(name) ?? loadOnce(name, load);
      },
    });
  return virtual;
}

/** Loads the modules that are named in a source, if it calls `require`. */
export async function preload(source: string): Promise<void> {
  if (!/\brequire\s*\(/.test(source)) return;
  const isNamed = (name: string) => source.includes(`"${name}"`) || source.includes(`'${name}'`);
  const named = Object.entries(modules).filter(([name]) => isNamed(name));
  await Promise.all(named.map(([name, load]) => loadOnce(name, load)));
}

function loadOnce(name: string, load: Load): Promise<object> {
  const pending = loading.get(name) ?? start(name, load);
  loading.set(name, pending);
  return pending;
}

async function start(name: string, load: Load): Promise<object> {
  // The mark as an ES module makes a default import return the default export instead of the namespace.
  const namespace = Object.assign(Object.create(null), await load(), { __esModule: true }) as object;
  loaded.set(name, namespace);
  return namespace;
}
