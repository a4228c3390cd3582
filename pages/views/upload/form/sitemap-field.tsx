/** The choice of the sitemap of the domain: an existing one is replaced, a new one is made. */
import { useId } from 'preact/hooks';
import { useSitemap, useSitemaps } from '../../../api/domain.ts';
import { Field } from '../../../parts/field.tsx';
import { calendarDay, counted } from '../../../parts/format.ts';
import { useSettled } from '../../../parts/use-settled.ts';
import { type Settings, sitemapPath } from '../settings.ts';
import type { Target } from './use-target.ts';

/** After this time without a change, the person has stopped typing. */
const PAUSE_MS = 400;

export interface SitemapFieldProps {
  readonly settings: Settings;
  readonly target: Target;
  readonly change: (part: Partial<Settings>) => void;
  readonly fault: string | undefined;
}

export function SitemapField({ settings, target, change, fault }: SitemapFieldProps) {
  const list = useId();
  const { domain, sitemapName } = target;
  const { rows: sitemaps } = useSitemaps(domain?.id);
  const name = sitemapName || 'default';
  const former = useSitemap(domain?.id, useSettled(name, PAUSE_MS));
  return (
    <Field
      label="Sitemap"
      hint={
        former?.name === name ? (
          <>
            Replaces the {counted(former.urlCount, 'URL')} from {calendarDay(former.lastUpdated)} at{' '}
            <code>{sitemapPath(sitemapName)}</code>
          </>
        ) : (
          <>
            It will be at <code>{sitemapPath(sitemapName)}</code>
          </>
        )
      }
      error={fault}
    >
      {(tied) => (
        <>
          <input
            {...tied}
            list={list}
            placeholder={name}
            autocomplete="off"
            spellcheck={false}
            value={settings.sitemapName}
            onInput={(event) => change({ sitemapName: event.currentTarget.value })}
          />
          <datalist id={list}>
            {sitemaps
              .filter(({ name }) => name !== 'default')
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
