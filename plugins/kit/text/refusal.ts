/** Tells a person that they refused a tool call. The call's result is longer, because it also tells the model what to do instead. */
export function saidNo(reason = ""): string {
  return `You said no${reason === "" ? "." : `: ${reason}`}`;
}
