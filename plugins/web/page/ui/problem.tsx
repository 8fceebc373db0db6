import { safeText } from "../display/safe.ts";

/** Says why something was not done. Draws nothing without a text. */
export function Problem({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p className="plain problem" role="alert">
      {safeText(text)}
    </p>
  );
}
