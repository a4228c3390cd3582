/** An upload whose file or settings break a rule: which, where, and the list to take along. */
import type { ComponentChildren } from 'preact';
import type { Violation } from '../../../../client/src/answers.ts';
import type { ApiError } from '../../../api/request.ts';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { count, counted } from '../../../parts/format.ts';
import { Violations } from '../../../parts/violations.tsx';
import { violationsCsv } from '../../../parts/violations-csv.ts';
import type { Asked } from '../current-upload.ts';
import { saveAs } from './save-as.ts';

/** `details` of the refusal. */
interface Faults {
  readonly errors?: readonly Violation[];
  readonly errorCount?: number;
  readonly rejectsUrl?: string;
  readonly uploadId?: string;
}

export interface RefusedProps {
  readonly asked: Asked;
  readonly error: ApiError;
  readonly children: ComponentChildren;
}

export function Refused({ asked, error, children }: RefusedProps) {
  const { errors = [], errorCount = errors.length } = error.details as Faults;
  const title = errorCount > 0 ? `${counted(errorCount, 'mistake')} found` : 'The upload is refused';
  return (
    <>
      <Card title={title} aside={<Chip tone="bad">Refused</Chip>}>
        <p class="notice notice-bad">{error.message}</p>
        <p>
          Nothing was published. The former sitemap is as it was.
          {errorCount > 0 &&
            !asked.settings.isDryRun &&
            ' There may be more mistakes: Waypost stops reading soon after the first.'}
        </p>
        <Cure error={error} />
        <div class="buttons">{children}</div>
      </Card>
      {errors.length > 0 && (
        <Card
          title={
            errorCount > errors.length ? `The first ${errors.length} of ${count(errorCount)}` : 'Mistakes'
          }
          aside={<SaveButton errors={errors} fileName={asked.file.name} />}
        >
          <Violations violations={errors} />
          <AllOfThem {...(error.details as Faults)} />
        </Card>
      )}
    </>
  );
}

/** A document may say what the form says, but not both. */
function Cure({ error }: { readonly error: ApiError }) {
  if (!error.message.endsWith('stands in the query already')) return null;
  return error.details.field === 'domain' ? (
    <p>The file names its domain itself. Go back, and choose “The file names it” as the domain.</p>
  ) : (
    <p>The file says this itself. Go back, and leave it out in the form.</p>
  );
}

interface SaveButtonProps {
  readonly errors: readonly Violation[];
  readonly fileName: string;
}

function SaveButton({ errors, fileName }: SaveButtonProps) {
  return (
    <button type="button" onClick={() => saveAs(`mistakes in ${fileName}.csv`, violationsCsv(errors))}>
      Download as CSV
    </button>
  );
}

function AllOfThem({ errors = [], errorCount = 0, rejectsUrl, uploadId }: Faults) {
  if (rejectsUrl === undefined || errorCount <= errors.length) return null;
  return (
    <p>
      <a href={`/dashboard${rejectsUrl}`} download={`rejected-${uploadId}.ndjson`}>
        Download all as NDJSON
      </a>
    </p>
  );
}
