/** What the params of an operation that answers in pages can have. */
export interface PageParams {
  /** The most items to return. Default: as many as fit into about 8 MB. */
  limit?: number | undefined;
  /** The number of items to leave out: those of the pages before. */
  skip?: number | undefined;
}

/** What the result of an operation that answers in pages has. `everyPage` of `@scorel/host/client` reads all of them. */
export interface Page {
  /** There are further items: ask again, and skip those that were returned. */
  more?: true;
}

/** What the result of an operation has whose long answers are cut. */
export interface Cut {
  /** The number of items that were left out, because the answer would have had more than about 8 MB. */
  leftOut?: number;
}

/**
 * What keeps the answer to an operation small, when its result has lists.
 *
 * - `pages`: the host returns the lists at the top of the result in pages of about 8 MB. It adds `limit` and `skip` to the params and
 *   `more` to the result, and counts the items of several lists as one after the other. `run` may return everything.
 * - `cut`: the host cuts these lists after about 8 MB, and says in `leftOut` how many items were left out. For operations that change
 *   something, which cannot be asked for a second page.
 * - `bounded`: says why the lists cannot grow with the session or with the number of sessions.
 */
export type AnswerSize = "pages" | "cut" | { bounded: string };

/** A JSON Schema, of draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** An operation, for those who write clients. */
export interface OperationDescription {
  name: string;
  /** What it does, in one line. */
  summary: string;
  /** Id of the plugin that answers it. */
  plugin: string;
  /** Whether it changes nothing. */
  readOnly: boolean;
  params: JsonSchema;
  /** Absent if the plugin does not say. */
  result?: JsonSchema;
}
