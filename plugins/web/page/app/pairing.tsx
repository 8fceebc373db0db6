import { lazy, Suspense } from "react";
import { useWords } from "../words/words.ts";

/** The form to pair with a host, whose code begins to run when it is shown. */
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

/** Instead of the form, when the browser has not got it. */
function Missing() {
  return <p role="alert">{useWords().pairMissing}</p>;
}
