/** Copies a text. Returns whether the browser allowed it: not without a click or the focus, and not on a page without encryption. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
