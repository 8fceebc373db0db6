/**
 * Error texts of providers and networks, with the kind of failure that each indicates. The first match counts. A new text needs one line
 * here and one in the test.
 */
export const patterns: readonly { kind: "hopeless" | "busy" | "broken"; pattern: RegExp }[] = [
  // Permanent, unless the provider says how long to wait: a retry would only cost time.
  { kind: "hopeless", pattern: /insufficient[ _]?(quota|funds|credits?|balance)/i },
  { kind: "hopeless", pattern: /exceeded your current quota/i },
  { kind: "hopeless", pattern: /\bbilling\b|credit balance|payment required|out of credits/i },
  // Temporary: the provider asks to come back later. Must precede the overflow check, which some of these texts would
  // match.
  { kind: "busy", pattern: /rate[ _-]?limit/i },
  { kind: "busy", pattern: /too many (requests|concurrent)/i },
  { kind: "busy", pattern: /throttl/i },
  { kind: "busy", pattern: /resource[ _]?exhausted/i },
  { kind: "busy", pattern: /insufficient_system_resource/ },
  { kind: "busy", pattern: /overloaded|at capacity|over capacity|high demand/i },
  { kind: "busy", pattern: /try again (later|in \d)|retry[ _-]?(delay|after)/i },
  // Temporary: the server or the network failed.
  { kind: "broken", pattern: /service[ _]?(is )?(temporarily )?unavailable/i },
  { kind: "broken", pattern: /(internal|server)[ _]?(server[ _]?)?error|api_error/i },
  { kind: "broken", pattern: /bad gateway|gateway time-?out|upstream (connect|error)/i },
  { kind: "broken", pattern: /provider[ _]returned[ _]error/i },
  { kind: "broken", pattern: /network[ _]?error|connection[ _]?(error|refused|reset|lost|closed)/i },
  { kind: "broken", pattern: /fetch failed|socket hang up|other side closed|premature close/i },
  { kind: "broken", pattern: /\btime(d[ -]?)?[ -]?out\b|deadline exceeded/i },
  { kind: "broken", pattern: /(unexpected (token|end)|expected|unterminated).*\bJSON\b/i },
  { kind: "broken", pattern: /^terminated$|stream ended (without|before)|ended unexpectedly/i },
  // Temporary: the model wrote a call that its provider could not read.
  { kind: "broken", pattern: /MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/ },
];

/** Matches how servers say that a model cannot call tools. */
export const withoutTools =
  /(does not|doesn't|not) support (the use of )?(tool|function)|support tool use|(tool|function)[ -]?(use|call(s|ing)?) (is|are) not supported/i;

/** System error codes of network failures that may pass. Others, such as certificate errors, are final. */
export const networkCodes: ReadonlySet<string> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);
