/** The page of a refused upload: its mistakes by cause, or what to change, and what crawlers get now. */
import type { ComponentChildren } from 'preact';
import { useSitemap } from '../../../api/domain.ts';
import { Action } from '../../../parts/action.tsx';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { calendarDay, count, counted } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Page } from '../../../parts/page.tsx';
import { CureButton, type Remedy } from '../mistakes/cure-button.tsx';
import { cureIn } from '../mistakes/cure-in.ts';
import type { FoundMistakes } from '../mistakes/found-mistakes.ts';
import { MistakeGroup } from '../mistakes/mistake-group.tsx';
import { listRejects, mistakesCsv, type RefusedFile } from '../mistakes/mistakes-csv.ts';
import { sayMistake } from '../mistakes/say-mistake.ts';
import { saveAs } from './save-as.ts';

export interface RefusedPageProps {
  readonly found: FoundMistakes;
  /** Undefined if the file is no longer here. */
  readonly fileName: string | undefined;
  readonly sitemapName: string;
  readonly hostname: string | undefined;
  readonly domainId: string | undefined;
  readonly source: RefusedFile | undefined;
  /** Goes back to the form. */
  readonly again: () => void;
  readonly remedy?: Remedy | undefined;
  /**
   * Reads the file again to its end, to find all mistakes. Undefined if all rows were read, if no row has a mistake, or if the file is
   * gone.
   */
  readonly findAll?: (() => void) | undefined;
  /** The buttons for the next steps. */
  readonly children: ComponentChildren;
}

export function RefusedPage(props: RefusedPageProps) {
  const { found, fileName, sitemapName, hostname, again, children } = props;
  const hasMistakes = found.errors.length > 0;
  return (
    <Page
      title={titleOf(found)}
      shortTitle="Refused"
      above={
        <button type="button" class="plain" onClick={again}>
          <Icon name="back" /> Upload
        </button>
      }
      beside={<Chip tone="bad">Refused</Chip>}
    >
      <p class="lead">
        {fileName ?? 'A file'} for “{sitemapName}”{hostname && ` on ${hostname}`}
      </p>
      <div class="split">
        <div class="stack">
          {hasMistakes ? <Mistakes {...props} /> : <Refusal found={found} remedy={props.remedy} />}
        </div>
        <aside class="stack sooner">
          <Card title="Nothing was published">
            <StillServed {...props} />
            <div class="lines">{children}</div>
          </Card>
        </aside>
      </div>
    </Page>
  );
}

function titleOf({ errors, errorCount, rejected, total, message, field }: FoundMistakes): string {
  if (errors.length === 0) return sayMistake(message, field).title;
  if (rejected === undefined) return `${counted(errorCount, 'mistake')} so far`;
  if (total === undefined) return `${counted(rejected, 'row')} ${rejected === 1 ? 'has' : 'have'} mistakes`;
  if (rejected === total)
    return total === 1 ? 'The only row has a mistake' : `All ${count(total)} rows have mistakes`;
  return `${count(rejected)} of ${count(total)} rows ${rejected === 1 ? 'has a mistake' : 'have mistakes'}`;
}

function Mistakes({ found, fileName, source, remedy, findAll }: RefusedPageProps) {
  const { kinds, errors, errorCount, total, uploadId } = found;
  const download = async () => {
    const all = uploadId === undefined || errors.length === errorCount ? errors : await listRejects(uploadId);
    saveAs(`${(fileName ?? 'upload').replace(/\.[^.]*$/, '')}-mistakes.csv`, await mistakesCsv(all, source));
  };
  const isPart = uploadId === undefined && errors.length < errorCount;
  return (
    <>
      <Card
        title="Mistakes"
        lead={
          total === undefined
            ? 'We stopped soon after the first. There may be more.'
            : `We checked all ${count(total)} rows.`
        }
        aside={
          <div class="buttons">
            <Action work={download} busy="Preparing …">
              <Icon name="download" /> {isPart ? `Download these ${count(errors.length)}` : 'Download CSV'}
            </Action>
            {findAll && (
              <button type="button" onClick={findAll}>
                Find all mistakes
              </button>
            )}
          </div>
        }
      >
        <div class="groups">
          {kinds.map((kind, i) => (
            <MistakeGroup
              key={`${kind.field}: ${kind.message}`}
              kind={kind}
              errors={errors}
              isOpen={i === 0}
              remedy={remedy}
            />
          ))}
        </div>
      </Card>
      {source && <p class="hint">The CSV has these rows as in your file, with their mistakes.</p>}
    </>
  );
}

/** Shows a refusal that lists no rows. `isTwice`: the document and the form say the same thing, but only one of them may. */
function Refusal({ found: { message, field }, remedy }: Pick<RefusedPageProps, 'found' | 'remedy'>) {
  const isTwice = message.endsWith('stands in the query already');
  const said = sayMistake(message, field);
  const cure = cureIn(message);
  return (
    <Card title="What to change">
      <p>{said.rule ? `${said.rule}.` : message}</p>
      {remedy && cure && (
        <div class="remedy">
          <span>
            {cure.columns ? 'Other columns are left out.' : 'It is published if that makes it valid.'}
          </span>
          <CureButton cure={cure} remedy={remedy} />
        </div>
      )}
      {isTwice && field === 'domain' && (
        <p>The file names its domain itself. Go back, and choose “The file names it” as the domain.</p>
      )}
      {isTwice && field !== 'domain' && (
        <p>The file says this itself. Go back, and leave it out in the form.</p>
      )}
    </Card>
  );
}

function StillServed({ domainId, sitemapName }: Pick<RefusedPageProps, 'domainId' | 'sitemapName'>) {
  const live = useSitemap(domainId, sitemapName);
  if (live === undefined) return null;
  if (live === null) return <p>There is no sitemap of this name yet.</p>;
  return (
    <p>
      Crawlers still get the {counted(live.urlCount, 'URL')} from {calendarDay(live.lastUpdated)}.
    </p>
  );
}
