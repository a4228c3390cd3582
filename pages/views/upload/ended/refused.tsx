/**
 * A refused upload while its file is still chosen: the person can publish it without its rows with mistakes, or have it read in another
 * way.
 */
import type { ApiError } from '../../../api/request.ts';
import { count, counted } from '../../../parts/format.ts';
import { type Asked, findMistakes, startUpload } from '../current-upload.ts';
import type { Cure } from '../mistakes/cure-in.ts';
import { mistakesIn } from '../mistakes/found-mistakes.ts';
import { pairsOf } from '../reading.ts';
import { queryOf } from '../settings.ts';
import { useRefusedAddress } from './refused-address.ts';
import { RefusedPage } from './refused-page.tsx';

export interface RefusedProps {
  readonly asked: Asked;
  readonly error: ApiError;
  /** Goes back to the form. `keepsFile`: whether the form keeps the file and the choices for it. */
  readonly again: (keepsFile: boolean) => void;
}

export function Refused({ asked, error, again }: RefusedProps) {
  const found = mistakesIn(error);
  const { rejected, total, uploadId, errors } = found;
  const { file, form, settings, parameters, hostname } = asked;
  useRefusedAddress(uploadId, settings.domain?.id);
  const canSkip = rejected !== undefined && total !== undefined && rejected < total;
  return (
    <RefusedPage
      found={found}
      fileName={file.name}
      sitemapName={asked.sitemapName}
      hostname={hostname}
      domainId={settings.domain?.id}
      source={{ file, form, encoding: asked.encoding, delimiter: asked.delimiter, parameters }}
      again={() => again(true)}
      remedy={{ apply: (cure) => void startUpload(cured(asked, cure)), publishes: !settings.isDryRun }}
      findAll={
        errors.length > 0 && total === undefined
          ? () => void findMistakes(asked, { kind: 'refused', error })
          : undefined
      }
    >
      {canSkip && (
        <button type="button" class="primary full" onClick={() => void startUpload(without(asked, rejected))}>
          {rejected === 1 ? 'Publish without this row' : `Publish without these ${count(rejected)}`}
        </button>
      )}
      <button type="button" class={canSkip ? 'full' : 'primary full'} onClick={() => again(false)}>
        Choose a corrected file
      </button>
      <button type="button" class="full" onClick={() => again(true)}>
        Change how it is read
      </button>
      {canSkip && (
        <p class="hint">
          Without {rejected === 1 ? 'it' : 'them'}, {counted(total - rejected, 'URL')} go live. Keep this page
          open: your browser sends the file again.
        </p>
      )}
    </RefusedPage>
  );
}

/** Returns the upload of the same file, read with the parameters that mend a kind of mistakes. */
function cured(asked: Asked, cure: Cure): Asked {
  const query = new URLSearchParams(asked.request.query);
  for (const [name, value] of Object.entries(cure)) query.set(name, value);
  return {
    ...asked,
    choices: { ...asked.choices, ...cure },
    parameters: { ...asked.parameters, ...cure },
    request: { ...asked.request, query },
  };
}

/** Returns the upload of the same file without its rows with mistakes. If there are more such rows than before, the service refuses it. */
function without(asked: Asked, rejected: number): Asked {
  const settings = { ...asked.settings, isDryRun: false, skipsInvalid: true, maxRejected: String(rejected) };
  const query = queryOf(settings);
  for (const [name, value] of pairsOf(asked.parameters)) query.append(name, value);
  return { ...asked, request: { ...asked.request, query } };
}
