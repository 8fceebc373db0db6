import { type DragEvent, useState } from "react";
import { useWords } from "../words/words.ts";
import { attach, filesOf } from "./attach.ts";
import type { Field } from "./field.ts";

/** Attaches files that are dropped anywhere on the conversation. */
export function useDropping(field: Field) {
  const words = useWords();
  const [isDropping, setDropping] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");
  const dropping = {
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setDropping(false);
    },
    onDrop: (event: DragEvent) => {
      setDropping(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      void attach(field, filesOf(event.dataTransfer), words);
    },
  };
  return { isDropping, dropping };
}
