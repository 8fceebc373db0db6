/** Params of every operation that answers in pages. */
export interface PageParams {
  /** Maximum number of items to return. Default: as many as fit into about 8 MB. */
  limit?: number | undefined;
  /** Number of items to skip: those of the previous pages. */
  skip?: number | undefined;
}

/** Result fields of every operation that answers in pages. `everyPage` of `@scorel/host/client` requests all pages. */
export interface Page {
  /** Set if there are further items: repeat the request, and skip those that were already returned. */
  more?: true;
}

/** Result fields of every operation whose long answers are cut. */
export interface Cut {
  /** Number of items that were left out, because the answer would have exceeded about 8 MB. */
  leftOut?: number;
}

/**
 * How the answer to an operation stays small if its result has lists.
 *
 * - `pages`: the host returns the top-level lists of the result in pages of about 8 MB. It adds `limit` and `skip` to the params and
 *   `more` to the result. The items of several lists are counted consecutively. `run` may return all items.
 * - `cut`: the host cuts the top-level lists after about 8 MB, and adds the number of omitted items as `leftOut`. For operations that
 *   change something, which cannot be repeated for a second page.
 * - `bounded`: a text that explains why the lists cannot grow with the session or with the number of sessions.
 */
export type AnswerSize = "pages" | "cut" | { bounded: string };

/** A JSON Schema, of draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** Description of an operation, for authors of clients. */
export interface OperationDescription {
  name: string;
  /** What the operation does, in one line. */
  summary: string;
  /** Id of the plugin that implements the operation. */
  plugin: string;
  /** Whether the operation changes nothing. */
  readOnly: boolean;
  params: JsonSchema;
  /** Absent if the plugin does not declare it. */
  result?: JsonSchema;
}
