import { imageType } from "@scorel/kit/files/image-type";
import { useEffect, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { useWords } from "../words/words.ts";

/** Image types that browsers show without running or loading anything. */
const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

interface PictureProps {
  /** Base64. */
  data: string;
  mimeType: string;
  name: string;
}

/** A small picture; a click shows it in full size. It is made from its bytes. Data that is not a picture is only named. */
export function Picture({ data, mimeType, name }: PictureProps) {
  const words = useWords();
  const address = useAddress(data);
  const [isOpen, setOpen] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (address === undefined || isBroken)
    return (
      <span className="muted">
        {words.notShown} {mimeType.replace(/[^\w/.+-]/g, "")}
      </span>
    );
  return (
    <>
      <button
        type="button"
        className="picture"
        aria-label={`${words.showPicture} ${name}`}
        onClick={() => setOpen(true)}
      >
        <img src={address} alt={name} onError={() => setBroken(true)} />
      </button>
      {isOpen && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <img className="whole-picture" src={address} alt={name} />
        </Dialog>
      )}
    </>
  );
}

/** The pictures in an event's message. Empty for events of another form. */
export function picturesIn(event: object): { data: string; mimeType: string }[] {
  const { content } = ((event as { message?: unknown }).message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content.filter(isPicture) : [];
}

function isPicture(part: unknown): part is { data: string; mimeType: string } {
  const { type, data, mimeType } = (part ?? {}) as Record<string, unknown>;
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

/** A blob URL for the bytes, revoked when the picture is no longer shown. Undefined if browsers cannot show them. */
function useAddress(data: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const blob = blobOf(data);
    const made = blob && URL.createObjectURL(blob);
    setAddress(made);
    return () => {
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [data]);
  return address;
}

/** The bytes, with the type that they actually have, whatever the sender has said. */
function blobOf(data: string): Blob | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const type = imageType(bytes);
    return type !== undefined && SHOWN.includes(type) ? new Blob([bytes], { type }) : undefined;
  } catch {
    return undefined;
  }
}
