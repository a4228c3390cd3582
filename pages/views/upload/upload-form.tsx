/**
 * The form of an upload: the file, how it is read, and the target. Nothing is published before the person presses a button. A mistake loses
 * none of the choices.
 */
import { useQueryClient } from '@tanstack/preact-query';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Live } from '../../../src/edges/dashboard/wire.ts';
import { Card } from '../../parts/card.tsx';
import { count } from '../../parts/format.ts';
import { type Asked, startUpload } from './current-upload.ts';
import { CONTENT_TYPES, type UploadForm as Form } from './file-form.ts';
import { type ChosenFile, useChosenFile } from './form/chosen-file.ts';
import { ColumnsCard } from './form/columns-card.tsx';
import { useFirstDomain } from './form/domain-field.tsx';
import { DropZone, useDrop } from './form/drop-zone.tsx';
import { FileCard } from './form/file-card.tsx';
import { FirstRows } from './form/first-rows.tsx';
import { ImportField } from './form/import-field.tsx';
import { useKeptPress } from './form/kept-press.ts';
import { UnseenColumns } from './form/unseen-columns.tsx';
import { type ReadingOfFile, useReading } from './form/use-reading.ts';
import { useRowCount } from './form/use-row-count.ts';
import { type Target, useTarget } from './form/use-target.ts';
import { WhereCard } from './form/where-card.tsx';
import { keepChoices } from './kept-choices.ts';
import { type Beginning, delimiterOf, explicit, pairsOf } from './reading.ts';
import { FIRST_SETTINGS, faultsOf, queryOf, type Settings } from './settings.ts';

export interface UploadFormProps {
  /** The former upload. The form begins with its settings, its choices and its file. */
  readonly former: Pick<Asked, 'settings' | 'choices'> & { readonly file?: File };
}

/** The value of `former` for the first upload. */
export const NOTHING_YET: UploadFormProps['former'] = { settings: FIRST_SETTINGS, choices: {} };

export function UploadForm({ former }: UploadFormProps) {
  const wanted = new URLSearchParams(location.search);
  const [settings, setSettings] = useState<Settings>(
    former === NOTHING_YET ? { ...FIRST_SETTINGS, sitemapName: sitemapNameIn(wanted) } : former.settings,
  );
  const change = (part: Partial<Settings>) => setSettings((now) => ({ ...now, ...part }));
  const chosen = useChosenFile(former.file);
  const isOver = useDrop(chosen.choose);
  const reading = useReading(chosen, former.choices);
  const { beginning } = reading;
  const document = documentIn(beginning);
  const [tries, setTries] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const client = useQueryClient();
  const seeksDomain = useFirstDomain(wanted.get('domain'), settings.domain, (domain) => change({ domain }));
  const seeksDomainInFile = useDomainInFile(document, change);
  const target = useTarget(settings, chosen.form, document);
  const rows = useRowCount(chosen.file, chosen.form, chosen.encoding === undefined);

  const known = { file: chosen.file, form: chosen.form, members: document };
  const faults = tries > 0 ? faultsOf(settings, known) : {};
  /** Whether the last try was an import, which needs no file. */
  const [isImport, setImport] = useState(false);
  const isReady = !seeksDomain && !seeksDomainInFile && !chosen.isReading && !reading.isReading;
  const [isDryRun, setDryRun] = useState(false);
  const { isKept, press } = useKeptPress(isReady, () => {
    setTries(tries + 1);
    setImport(false);
    const isFaulty = Object.keys(faultsOf(settings, known)).length > 0;
    if (isFaulty || chosen.problem !== undefined || isBlocked(beginning)) return;
    if (beginning?.table) keepChoices(beginning.table, beginning.choices);
    // Read previews again: the next file with this header is read with these choices.
    client.removeQueries({ queryKey: ['preview'] });
    const live = client.getQueryData<Live>(['live']);
    void startUpload(askedOf({ ...settings, isDryRun }, target, chosen, reading, live));
  });
  useLayoutEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [tries]);

  const isOff = isBlocked(beginning) || chosen.problem !== undefined;
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event as SubmitEvent;
        setDryRun(submitter?.getAttribute('value') === 'check');
        press();
      }}
      class="split upload"
    >
      <div class="stack">
        {chosen.file === undefined ? (
          <Card title="File">
            <DropZone chosen={chosen} isOver={isOver} fault={isImport ? undefined : faults.file} />
            <ImportField
              settings={settings}
              isReady={!seeksDomain}
              refuse={() => {
                setTries(tries + 1);
                setImport(true);
              }}
            />
          </Card>
        ) : (
          <>
            <FileCard
              chosen={chosen}
              reading={reading}
              rows={dataRows(rows, beginning)}
              fault={faults.form}
            />
            {chosen.form === 'parquet' && chosen.head === undefined && <UnseenColumns reading={reading} />}
            {beginning?.table && <ColumnsCard beginning={beginning} reading={reading} />}
            {beginning && !beginning.questions.includes('loc') && <FirstRows beginning={beginning} />}
          </>
        )}
      </div>
      <aside class="stack sticky">
        <WhereCard {...{ settings, target, change, chosen, document, faults }}>
          <div class="lines">
            <button
              type="submit"
              value="publish"
              class={isOff ? 'primary full off' : 'primary full'}
              aria-disabled={isKept || isOff}
            >
              {isKept && !isDryRun ? 'One moment …' : publishLabel(dataRows(rows, beginning), beginning)}
            </button>
            <button
              type="submit"
              value="check"
              class={isOff ? 'full off' : 'full'}
              aria-disabled={isKept || isOff}
            >
              {isKept && isDryRun ? 'One moment …' : 'Check all rows first'}
            </button>
          </div>
        </WhereCard>
        <p class="hint">All or nothing: crawlers see the old sitemap until the new one is complete.</p>
      </aside>
    </form>
  );
}

/** Whether the person has to answer a question first. */
const isBlocked = (beginning: Beginning | undefined) => (beginning?.questions.length ?? 0) > 0;

/** Returns the number of rows without the header. */
function dataRows(rows: number | undefined, beginning: Beginning | undefined): number | undefined {
  if (rows === undefined) return undefined;
  return beginning?.preview.header === undefined ? rows : Math.max(0, rows - 1);
}

/** Returns the label of the button. It has the number of URLs only if the first rows give no reason to doubt the number. */
function publishLabel(rows: number | undefined, beginning: Beginning | undefined): string {
  const isSure =
    beginning !== undefined &&
    beginning.parameters.where === undefined &&
    beginning.preview.rows.length > 0 &&
    beginning.preview.rows.every(({ violations }) => violations.length === 0);
  if (rows === undefined || !isSure) return 'Publish';
  return rows === 1 ? 'Publish 1 URL' : `Publish ${count(rows)} URLs`;
}

/** Returns the members of a JSON document other than its entries. */
function documentIn(beginning: Beginning | undefined): Readonly<Record<string, unknown>> {
  return beginning?.preview.document ?? {};
}

/** The address of a page calls the main sitemap `default`. */
function sitemapNameIn(query: URLSearchParams): string {
  const name = query.get('sitemap') ?? '';
  return name === 'default' ? '' : name;
}

/**
 * If the document names its domain, the query must not name another one. So this chooses “The file names it”. Returns whether the choice is
 * still to come.
 */
function useDomainInFile(
  document: Readonly<Record<string, unknown>>,
  change: (part: Partial<Settings>) => void,
): boolean {
  const isThere = document.domain !== undefined;
  const [isSet, setSet] = useState(false);
  useLayoutEffect(() => {
    change({ isDomainInFile: isThere });
    setSet(isThere);
  }, [isThere]);
  return isSet !== isThere;
}

function askedOf(
  settings: Settings,
  { domain, hostname, sitemapName }: Target,
  chosen: ChosenFile,
  { beginning, choices }: Pick<ReadingOfFile, 'beginning' | 'choices'>,
  live: Live | undefined,
): Asked {
  const { file, encoding } = chosen;
  const form = chosen.form as Form;
  const isInFile = form === 'json' && settings.isDomainInFile;
  const query = queryOf({ ...settings, isDomainInFile: isInFile });
  const parameters = beginning?.parameters ?? explicit(choices);
  for (const [name, value] of pairsOf(parameters)) query.append(name, value);
  return {
    file: file!,
    form,
    encoding,
    settings: { ...settings, domain, isDomainInFile: isInFile },
    choices: beginning?.choices ?? choices,
    delimiter: beginning && delimiterOf(beginning),
    parameters,
    hostname,
    sitemapName: sitemapName || 'default',
    others: new Set(live?.running.map(({ id }) => id)),
    request: { file: file!, query, contentType: CONTENT_TYPES[form], encoding: encoding ?? null },
  };
}
