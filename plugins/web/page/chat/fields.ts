import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";
import { Field } from "./field.ts";

/** The fields that are shown, and those that were left with something in them that is no draft. With how many components show each. */
const fields = new Map<Field, number>();

/** The field of a place. One that was left before its messages were accepted, or with an answer that nobody has seen, is shown again. */
export function useField(place: string): Field {
  const [field] = useState(() => fieldOf(place));
  useEffect(() => show(field), [field]);
  return field;
}

export function fieldOf(place: string): Field {
  return known(place) ?? new Field(place);
}

/** Keeps a field while it is shown, and until there is only a draft in it. Returns a function for when it is no longer shown. */
export function show(field: Field): () => void {
  fields.set(field, (fields.get(field) ?? 0) + 1);
  const { place } = field;
  return () => {
    fields.set(field, (fields.get(field) ?? 1) - 1);
    if (field.place === place) field.blur();
    void leave(field);
  };
}

/** Forgets a field when everything was sent from it and read into it, if it then has nothing but a draft and is not shown. */
async function leave(field: Field): Promise<void> {
  await field.rest();
  await field.whole();
  if (fields.get(field) === 0 && field.isDraft) fields.delete(field);
}

/** Resolves when the host has accepted or refused everything that was sent from the field of a place. */
export async function restOf(place: string): Promise<void> {
  await known(place)?.rest();
}

function known(place: string): Field | undefined {
  return [...fields.keys()].find((field) => field.place === place);
}

/**
 * Lets the browser ask before the page is left with pictures in a field, which unlike text are not stored. It does not ask after signing out,
 * when the page must not stay. Returns a function that ends this.
 */
export function keepPictures({ client }: Pick<Device, "client">): () => void {
  const leaving = (event: Event) => {
    if (client.state.state !== "closed" && hasPictures()) event.preventDefault();
  };
  addEventListener("beforeunload", leaving);
  return () => removeEventListener("beforeunload", leaving);
}

function hasPictures(): boolean {
  return [...fields.keys()].some((field) => field.pictures.get().length > 0 || field.isReading);
}
