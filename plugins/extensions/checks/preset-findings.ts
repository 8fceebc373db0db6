import type { AnyPlugin } from "@scorel/kernel";
import type { ExtensionFile } from "../contract.ts";
import { aboutService, given } from "../words.ts";
import { extensionFindings } from "./findings.ts";
import { type ServiceUser, serviceProblems } from "./service-graph.ts";

/** A shipped plugin that a preset uses, and the `file:line` of its entry in the preset. */
export interface UsedPlugin {
  plugin: AnyPlugin;
  scope: "host" | "session";
  place: string;
}

/** Checks the extensions of a preset, and the services of all its plugins, without running any of them. */
export async function presetFindings(
  extensions: readonly ExtensionFile[],
  shipped: readonly UsedPlugin[],
): Promise<{ problems: string[]; unknown: string[] }> {
  const readings = await Promise.all(extensions.map(extensionFindings));
  const isOpen = readings.some((reading) => reading.isOpen);
  const users = [...shipped.map(userOf), ...readings.map(({ user }) => user)];
  const isGiven = (service: string) => given.includes(service) || isOpen;
  return {
    problems: [...readings.flatMap(({ problems }) => problems), ...serviceProblems(users, { isGiven, aboutService })],
    unknown: readings.flatMap(({ unknown }) => unknown),
  };
}

function userOf({ plugin: { id, needs, provides }, scope, place }: UsedPlugin): ServiceUser {
  const placed = (names: readonly string[] = []) => names.map((name) => ({ name, place }));
  return { id, scope, needs: placed(needs), provides: placed(provides) };
}
