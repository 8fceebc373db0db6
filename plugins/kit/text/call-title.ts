/** The title of a call: the tool and what it is about. While arguments are arriving, or if they are invalid, `about` may be missing. */
export function titled(tool: string, about: unknown): string {
  return typeof about === "string" && about !== "" ? `${tool} ${about}` : tool;
}
