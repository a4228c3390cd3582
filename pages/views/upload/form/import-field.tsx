/** The field that imports a list, or an existing sitemap with all its files, from an address. */
import { useState } from 'preact/hooks';
import { useImport } from '../../../api/import-list.ts';
import { useWork } from '../../../parts/action.tsx';
import { Field, fieldError } from '../../../parts/field.tsx';
import { onEnter } from '../../../parts/on-enter.ts';
import type { Settings } from '../settings.ts';
import { useKeptPress } from './kept-press.ts';

export interface ImportFieldProps {
  readonly settings: Settings;
  /** Whether the page has chosen the domain, if it does so by itself. A press before that is kept. */
  readonly isReady: boolean;
  /** Tells the person to choose a domain first. */
  readonly refuse: () => void;
}

/** The load goes on if the page is closed. The list of uploads of the domain shows it. */
export function ImportField({ settings, isReady, refuse }: ImportFieldProps) {
  const { domain, sitemapName, skipsInvalid, maxRejectedPercent } = settings;
  const [url, setUrl] = useState('');
  const begin = useImport(domain?.id ?? '');
  const { isBusy, failure, run } = useWork(async () => {
    await begin(domain!, url, {
      ...(sitemapName && { sitemapName }),
      ...(skipsInvalid && { onInvalid: 'skip', maxRejectedPercent: Number(maxRejectedPercent || 1) }),
    });
  });
  const { isKept, press } = useKeptPress(isReady, () => {
    if (domain === undefined) refuse();
    else if (url.trim() !== '') run();
  });
  return (
    <Field
      label="Or import from an address"
      hint="A website's name, a sitemap with all its files, a robots.txt, or a list. Waypost reads it now, once."
      error={fieldError(failure)}
    >
      {(tied) => (
        <div class="import">
          <input
            {...tied}
            type="url"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://www.example.com/sitemap.xml"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
            // The form is for a file, and no file is chosen.
            onKeyDown={onEnter(press)}
          />
          <button type="button" aria-disabled={isBusy || isKept} onClick={press}>
            {isBusy || isKept ? 'One moment …' : 'Import'}
          </button>
        </div>
      )}
    </Field>
  );
}
