import { nearest } from "@scorel/kit/values/nearest";
import { errors } from "../errors.ts";
import { serviceShapes } from "./service-shapes.ts";

/**
 * Throws EXTENSION_SERVICE when an object lacks members of the service's contract. Services that Scorel does not know may have
 * any form.
 */
export function assertService(name: string, service: unknown): void {
  const shape = Object.hasOwn(serviceShapes, name) ? serviceShapes[name] : undefined;
  if (shape === undefined) return;
  if (shape === "function") {
    if (typeof service !== "function")
      throw errors.EXTENSION_SERVICE({ service: name, reasons: ["it is not a function"] });
    return;
  }
  if ((typeof service !== "object" && typeof service !== "function") || service === null)
    throw errors.EXTENSION_SERVICE({ service: name, reasons: ["it is not an object"] });
  const reasons = Object.entries(shape).flatMap(([member, kind]) => flawOf(service, { member, kind, shape }));
  if (reasons.length > 0) throw errors.EXTENSION_SERVICE({ service: name, reasons });
}

interface Required {
  member: string;
  kind: "function" | "value";
  shape: object;
}

/** Describes a missing or wrong member. Does not read values, since a getter may only work later. */
function flawOf(service: object, { member, kind, shape }: Required): string[] {
  if (!(member in service)) return [`it has no ${member}${meant(service, member, shape)}`];
  const isWrong = kind === "function" && typeof (service as Record<string, unknown>)[member] !== "function";
  return isWrong ? [`its ${member} is not a function`] : [];
}

/** A hint about an unknown member of the service whose name resembles the missing one. */
function meant(service: object, member: string, shape: object): string {
  const others = Object.keys(service).filter((key) => !Object.hasOwn(shape, key));
  const near = nearest(member, others);
  return near === undefined ? "" : ` (is ${JSON.stringify(near)} meant to be it?)`;
}
