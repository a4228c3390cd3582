/** The button that reads the file again, as it should have been read. */
import { sayCure } from '../say-parameters.ts';
import type { Cure } from './cure-in.ts';

/** The work that a cure does on the file. */
export interface Remedy {
  readonly apply: (cure: Cure) => void;
  /** Whether the file is then published, and not only checked. */
  readonly publishes: boolean;
}

export function CureButton({ cure, remedy }: { readonly cure: Cure; readonly remedy: Remedy }) {
  return (
    <button type="button" class="small" onClick={() => remedy.apply(cure)}>
      Read as {sayCure(cure)}
      {remedy.publishes && ', and publish'}
    </button>
  );
}
