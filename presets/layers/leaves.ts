import { isTable } from "@scorel/kit/values";
import type { KeyPath } from "./merge.ts";

/** Every value that is not a table, with its path. */
export function leavesOf(value: unknown, path: KeyPath): { path: KeyPath; value: unknown }[] {
  if (value === undefined) return [];
  if (!isTable(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
