import { useRef } from "react";
import { Picture } from "../display/picture.tsx";
import { safeLine } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { attach } from "./attach.ts";
import type { Field } from "./field.ts";

/** The pictures that are sent with the message. */
export function Attached({ field }: { field: Field }) {
  const words = useWords();
  const pictures = useStore(field.pictures);
  if (pictures.length === 0) return null;
  return (
    <ul className="attached" aria-label={words.attached}>
      {pictures.map(({ id, name, data, mimeType }) => (
        <li key={id}>
          <Picture data={data} mimeType={mimeType} name={safeLine(name) || words.picture} />
          <button
            type="button"
            className="icon-button"
            aria-label={`${words.removePicture} ${safeLine(name)}`.trim()}
            onClick={() => field.pictures.remove(id)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A button to choose files. */
export function AttachButton({ field }: { field: Field }) {
  const words = useWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {words.attach}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.attach}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // Otherwise choosing the same file again would cause no event.
          currentTarget.value = "";
          void attach(field, files, words);
        }}
      />
    </>
  );
}
