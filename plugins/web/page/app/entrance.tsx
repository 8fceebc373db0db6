import { useState } from "react";
import { useWords } from "../words/words.ts";

/** Shown to a page without a token: how to get one. */
export function Entrance({
  problem,
  onToken,
}: {
  problem?: "refused" | "ended" | undefined;
  onToken(token: string): void;
}) {
  const words = useWords();
  const [token, setToken] = useState("");
  return (
    <main className="entrance">
      <h1>{words.enterTitle}</h1>
      {problem && <p role="alert">{problem === "refused" ? words.enterRefused : words.enterEnded}</p>}
      <p>{words.enterHelp}</p>
      <pre>scorel up</pre>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") onToken(token.trim());
        }}
      >
        <label>
          {words.enterToken}
          <input type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <button type="submit">{words.enterSubmit}</button>
      </form>
    </main>
  );
}
