import { type Node, nodesOf } from "./architecture.ts";

/** The sources of shipped plugins by path, and what an extension can reach. */
export interface Seams {
  sources: Readonly<Record<string, string>>;
  /** The modules of Scorel that an extension may import. */
  modules: readonly string[];
  /** The names of contributions, hooks and services that an extension may use. */
  contributions: readonly string[];
  hooks: readonly string[];
  services: readonly string[];
}

/**
 * Services that only Scorel's start-up provides, with the reason. An extension can use them by naming them in `needs`,
 * but cannot provide them.
 */
export const givenServices: Readonly<Record<string, string>> = {
  workspace: "where a session works is decided when it is opened, before any plugin runs",
  composition: "which plugins run is decided before any of them is loaded",
  layers: "the layers of the configuration are read before any plugin is loaded",
  extensions: "extensions are found and loaded by the loader that starts them",
  trust: "nothing that is loaded later may give itself trust",
  presetStore: "presets are resolved before any plugin is loaded",
  extensionStore: "packages of extensions are resolved before any of them is loaded",
  launch: "the arguments, streams and environment of the process are those of whoever started it",
};

/** Services that no plugin can wrap, with the reason. */
export const sealedServices: Readonly<Record<string, string>> = {
  approver: "it asks a person about calls that guards object to, and a wrapper could say yes to everything",
  permissions: "it decides what tools may do, and a wrapper could say yes to everything",
  secrets: "it knows the keys that are kept out of logs, and a wrapper could read them",
};

/** Modules that only run in browsers, where no extension runs, with their purpose. */
export const browserModules: Readonly<Record<string, string>> = {
  "@scorel/relay/browser": "keeps the keys of a browser out of reach, with the WebCrypto and WebSocket of its pages",
};

const tables = new Set(["Services", "Hooks", "Events", "Transients", "Contributions", "Projections", "Types"]);
const contexts = /^(ctx|context|kernel|session)$/;

/**
 * One sentence for each seam (an import, a contribution, a hook or a service) that a shipped plugin uses and that an
 * extension cannot reach.
 */
export function closedSeamsOf(seams: Seams): string[] {
  return Object.entries(seams.sources).flatMap(([file, source]) => {
    const found = [...nodesOf(source)].flatMap((node) => closedSeam(node, file, seams) ?? []);
    return [...new Set(found)].map((sentence) => `${file}: ${sentence}`);
  });
}

function closedSeam(node: Node, file: string, seams: Seams): string | undefined {
  if (node.type === "TSModuleDeclaration") return hiddenRow(node, file);
  if (node.type === "TSAsExpression" || node.type === "TSTypeAssertion") return castContext(node);
  if (node.type === "CallExpression") return unknownName(node, seams);
  if (/^(Import|Export)/.test(node.type)) return closedModule(node, seams);
  return undefined;
}

/**
 * Values of Scorel must come from modules that extensions may import. The kit is a library without state, and contracts
 * contain only types.
 */
function closedModule(node: Node, { modules }: Seams): string | undefined {
  const from = textOf(node.source as Node | undefined);
  if (!from?.startsWith("@scorel/") || from.startsWith("@scorel/kit/") || from.endsWith("/contract")) return undefined;
  if (node.importKind === "type" || node.exportKind === "type" || modules.includes(from)) return undefined;
  if (from in browserModules) return undefined;
  return `imports ${from}, which extensions cannot import`;
}

/** Rows of the open tables must be declared in contracts, since extensions get their types from contracts. */
function hiddenRow(node: Node, file: string): string | undefined {
  if (textOf(node.id as Node) !== "@scorel/kernel" || /^plugins\/[^/]+\/contract\.ts$/.test(file)) return undefined;
  const rows = (node.body as { body: Node[] }).body.map((each) => nameOf((each.declaration ?? each) as Node));
  const hidden = rows.find((name) => name !== undefined && tables.has(name));
  return hidden && `adds to ${hidden} outside of its contract, where extensions do not see it`;
}

/** A plugin must use its context as it is: a cast would give access to what the context hides. */
function castContext({ expression, typeAnnotation }: Node): string | undefined {
  const { type, name } = expression as Node;
  const isContext = type === "Identifier" && contexts.test(String(name));
  const wanted = (typeAnnotation as Node).type;
  return isContext && /^TS(Any|Unknown|Never)Keyword$/.test(wanted) ? `casts ${String(name)}` : undefined;
}

const named: Readonly<Record<string, "contributions" | "hooks" | "services">> = {
  collect: "contributions",
  contribute: "contributions",
  onContributed: "contributions",
  defineHook: "hooks",
  hook: "hooks",
  provide: "services",
};

/** Names of contributions, hooks and services must be among those that extensions may use. */
function unknownName({ callee, arguments: given }: Node, seams: Seams): string | undefined {
  const member = callee as Node;
  const of = member.type === "MemberExpression" ? contextMethod(member) : undefined;
  const [first, , options] = given as Node[];
  const name = textOf(first);
  if (of === undefined || name === undefined) return undefined;
  const list = named[of];
  if (list !== undefined && !seams[list].includes(name)) return `${of}("${name}"), a name that extensions do not know`;
  const isSealed =
    of === "provide" &&
    [...inside(options)].some((each) => nameOf(each.key as Node) === "sealed" && (each.value as Node).value !== false);
  return isSealed && !(name in sealedServices)
    ? `seals the service "${name}" without a reason in test/seams.ts`
    : undefined;
}

/** The name of a method that is called on a context: `ctx.collect`, `this.env.ctx.collect`. */
function contextMethod({ object, property }: Node): string | undefined {
  const { type, name, property: last } = object as Node;
  const owner = type === "MemberExpression" ? nameOf(last as Node) : (name as string | undefined);
  return owner !== undefined && contexts.test(owner) ? nameOf(property as Node) : undefined;
}

function* inside(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && typeof value.type === "string") yield value as Node;
  for (const child of Object.values(value)) yield* inside(child);
}

function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === "Identifier") return node.name as string;
  return node?.id ? nameOf(node.id as Node) : undefined;
}

function textOf(node: Node | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}
