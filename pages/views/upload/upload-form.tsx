/**
 * The file and where it goes. Nothing is sent before the button is pressed, and nothing typed is lost by a
 * mistake.
 */
import { useQueryClient } from '@tanstack/preact-query';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Live } from '../../../src/edges/dashboard/wire.ts';
import { Card } from '../../parts/card.tsx';
import { type Asked, startUpload } from './current-upload.ts';
import { CONTENT_TYPES, type UploadForm as Form } from './file-form.ts';
import { type ChosenFile, useChosenFile } from './form/chosen-file.ts';
import { DomainField, useFirstDomain } from './form/domain-field.tsx';
import { DropZone } from './form/drop-zone.tsx';
import { FilePreview } from './form/file-preview.tsx';
import { useKeptPress } from './form/kept-press.ts';
import { MoreOptions } from './form/more-options.tsx';
import { SitemapField } from './form/sitemap-field.tsx';
import { SizeField } from './form/size-field.tsx';
import { FIRST_SETTINGS, faultsOf, queryOf, type Settings } from './settings.ts';

export interface UploadFormProps {
  /** What was sent before, to go on with. */
  readonly former: { readonly settings: Settings; readonly file?: File } | undefined;
}

export function UploadForm({ former }: UploadFormProps) {
  const wanted = new URLSearchParams(location.search);
  const [settings, setSettings] = useState<Settings>(
    former?.settings ?? { ...FIRST_SETTINGS, sitemapName: sitemapNameIn(wanted) },
  );
  const change = (part: Partial<Settings>) => setSettings((now) => ({ ...now, ...part }));
  const chosen = useChosenFile(former?.file);
  const [tries, setTries] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const client = useQueryClient();
  const seeksDomain = useFirstDomain(wanted.get('domain'), settings.domain, (domain) => change({ domain }));
  const seeksDomainInFile = useDomainInFile(chosen, change);

  const faults = tries > 0 ? faultsOf(settings, chosen) : {};
  const { isKept, press } = useKeptPress(!seeksDomain && !seeksDomainInFile && !chosen.isReading, () => {
    setTries(tries + 1);
    if (Object.keys(faultsOf(settings, chosen)).length > 0) return;
    const live = client.getQueryData<Live>(['live']);
    void startUpload(askedOf(settings, chosen.file!, chosen, live));
  });
  useLayoutEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [tries]);

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        press();
      }}
      class="upload"
    >
      <Card title="File">
        <DropZone chosen={chosen} fault={faults.file} />
        <FilePreview chosen={chosen} fault={faults.form} />
      </Card>
      <Card title="Where it goes">
        <DomainField settings={settings} change={change} chosen={chosen} fault={faults.domain} />
        <div class="columns">
          <SitemapField settings={settings} change={change} fault={faults.sitemapName} />
          <SizeField settings={settings} change={change} fault={faults.sizeLimit} />
        </div>
        <MoreOptions settings={settings} change={change} faults={faults} />
      </Card>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={isKept}>
          {isKept ? 'One moment …' : settings.isDryRun ? 'Check the file' : 'Upload'}
        </button>
        <p class="quiet">
          {settings.isDryRun
            ? 'Nothing will be published.'
            : 'It replaces the whole sitemap, or changes nothing.'}
        </p>
      </div>
    </form>
  );
}

/** The address of a page calls the main sitemap `default`. */
function sitemapNameIn(query: URLSearchParams): string {
  const name = query.get('sitemap') ?? '';
  return name === 'default' ? '' : name;
}

/** A document that names its domain must not be given another one. Returns whether `change` is still to come. */
function useDomainInFile({ members }: ChosenFile, change: (part: Partial<Settings>) => void): boolean {
  const isThere = members.domain !== undefined;
  const [isSet, setSet] = useState(false);
  useLayoutEffect(() => {
    change({ isDomainInFile: isThere });
    setSet(isThere);
  }, [isThere]);
  return isSet !== isThere;
}

function askedOf(settings: Settings, file: File, chosen: ChosenFile, live: Live | undefined): Asked {
  const isInFile = chosen.form === 'json' && settings.isDomainInFile;
  const named = chosen.members.domain;
  return {
    file,
    settings,
    hostname: isInFile ? (typeof named === 'string' ? named : undefined) : settings.domain?.hostname,
    others: new Set(live?.running.map(({ id }) => id)),
    request: {
      file,
      query: queryOf({ ...settings, isDomainInFile: isInFile }),
      contentType: CONTENT_TYPES[chosen.form as Form],
      encoding: chosen.encoding ?? null,
    },
  };
}
