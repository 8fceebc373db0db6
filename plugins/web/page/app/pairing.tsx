import { lazy, Suspense } from "react";
import { useWords } from "../words/words.ts";

/** The pairing form. Its code is loaded when it is shown. */
const Form = lazy(() =>
  import("../relay/pair-form.tsx").then(
    ({ PairForm }) => ({ default: PairForm }),
    () => ({ default: Missing }),
  ),
);

type FormProps = Parameters<typeof import("../relay/pair-form.tsx").PairForm>[0];

export function PairForm(props: FormProps) {
  const words = useWords();
  return (
    <Suspense fallback={<p className="muted">{words.connecting}</p>}>
      <Form {...props} />
    </Suspense>
  );
}

/** Shown instead of the form if the browser could not load it. */
function Missing() {
  return <p role="alert">{useWords().pairMissing}</p>;
}
