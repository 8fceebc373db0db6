/** The services that a plugin needs and provides. */
export interface ServiceUser {
  id: string;
  scope: "host" | "session";
  needs: readonly PlacedService[];
  provides: readonly PlacedService[];
}

/** A service, and the `file:line` where the plugin names it or, for a shipped plugin, where a preset names the plugin. */
export interface PlacedService {
  name: string;
  place: string;
}

/** Facts about services that do not come from the plugins. */
export interface ServicesKnown {
  /** Whether a service is, or may be, available without any of the plugins. */
  isGiven(service: string): boolean;
  /** Advice about a service that no plugin provides. */
  aboutService(service: string): string;
}

/** Reasons why plugins cannot start together: services provided twice, services that no plugin provides, and circular needs. */
export function serviceProblems(plugins: readonly ServiceUser[], { isGiven, aboutService }: ServicesKnown): string[] {
  const providers = providersOf(plugins);
  const meets = (user: ServiceUser, service: string) =>
    (providers.get(service) ?? []).filter((plugin) => plugin.scope === user.scope || plugin.scope === "host");
  return [
    ...doubles(plugins),
    ...plugins.flatMap((user) =>
      user.needs
        .filter(({ name }) => !isGiven(name) && meets(user, name).length === 0)
        .map(
          ({ name, place }) =>
            `"${user.id}" needs the service "${name}", which no plugin in use provides (${place}). ${aboutService(name)}`,
        ),
    ),
    ...circles(plugins, (user, service) => meets(user, service)[0]),
  ];
}

function providersOf(plugins: readonly ServiceUser[]): Map<string, ServiceUser[]> {
  const providers = new Map<string, ServiceUser[]>();
  for (const plugin of plugins)
    for (const { name } of plugin.provides) providers.set(name, [...(providers.get(name) ?? []), plugin]);
  return providers;
}

function doubles(plugins: readonly ServiceUser[]): string[] {
  return plugins.flatMap((plugin, index) =>
    plugin.provides.flatMap(({ name, place }) => {
      const isSame = (other: ServiceUser) => other.scope === plugin.scope;
      const first = plugins.slice(0, index).find((other) => isSame(other) && other.provides.some(isNamed(name)));
      const at = first?.provides.find(isNamed(name))?.place;
      return first
        ? [
            `The service "${name}" is provided by both "${first.id}" (${at}) and "${plugin.id}" (${place}). Leave one out.`,
          ]
        : [];
    }),
  );
}

const isNamed = (name: string) => (service: PlacedService) => service.name === name;

/** Circular needs, each circle once, with the place of every need in it. */
function circles(
  plugins: readonly ServiceUser[],
  providerOf: (user: ServiceUser, service: string) => ServiceUser | undefined,
): string[] {
  const done = new Set<ServiceUser>();
  const problems: string[] = [];
  const visit = (user: ServiceUser, way: readonly Step[]): void => {
    const from = way.findIndex((step) => step.user === user);
    if (from >= 0) problems.push(circle([...way.slice(from), { user, place: "" }]));
    if (from >= 0 || done.has(user)) return;
    for (const { name, place } of user.needs) {
      const provider = providerOf(user, name);
      if (provider) visit(provider, [...way, { user, place }]);
    }
    done.add(user);
  };
  for (const plugin of plugins) visit(plugin, []);
  return problems;
}

interface Step {
  user: ServiceUser;
  place: string;
}

function circle(steps: readonly Step[]): string {
  const chain = steps
    .map(({ user, place }) => (place === "" ? `"${user.id}"` : `"${user.id}" (${place})`))
    .join(" -> ");
  return `Circular dependency between plugins: ${chain}. Remove one of these from "needs".`;
}
