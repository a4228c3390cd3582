/** The page of the outcome of an upload. Its code is no part of the form's code, so the form shows sooner. It is loaded while the upload is under way. */
import { useEffect, useState } from 'preact/hooks';
import { Page } from '../../parts/page.tsx';
import type { Outcome } from './current-upload.ts';
import type { RefusedBeforeProps } from './ended/refused-before.tsx';
import type { EndedProps } from './ended.tsx';

type Code = typeof import('./ended.tsx');

let loaded: Code | undefined;

async function load(): Promise<Code> {
  loaded ??= await import('./ended.tsx');
  return loaded;
}

/** Loads the code ahead. If that fails, the page of the outcome tries again. */
export function usePreparedOutcome(): void {
  useEffect(() => void load().catch(() => {}), []);
}

export function OutcomePage(props: EndedProps) {
  const code = useCode();
  if (code === undefined) return <Waiting />;
  return code === 'missing' ? <NotLoaded title={WORDS[props.outcome.kind]} /> : <code.Ended {...props} />;
}

/** The page of the refused upload that the address names. */
export function RefusedBeforePage(props: RefusedBeforeProps) {
  const code = useCode();
  if (code === undefined) return <Waiting />;
  return code === 'missing' ? <NotLoaded title={WORDS.refused} /> : <code.RefusedBefore {...props} />;
}

/** Returns the code; undefined while it is loaded; `missing` if that has failed, for example after an update of Waypost. */
function useCode(): Code | 'missing' | undefined {
  const [code, setCode] = useState<Code | 'missing' | undefined>(loaded);
  useEffect(() => {
    if (loaded === undefined) load().then(setCode, () => setCode('missing'));
  }, []);
  return code;
}

const Waiting = () => <Page title="Upload">{null}</Page>;

function NotLoaded({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <div class="notice" role="status">
        <p>The rest of this page couldn't be loaded. The uploads of the domain show all of it.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </Page>
  );
}

const WORDS: Readonly<Record<Outcome['kind'], string>> = {
  published: 'Published',
  unchanged: 'Nothing changed',
  checked: 'Checked: nothing is published',
  held: 'Held until you decide',
  refused: 'Refused: nothing is published',
  cancelled: 'Cancelled: nothing is published',
  failed: 'The upload failed',
};
